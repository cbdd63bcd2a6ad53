"""Attempts that are made again, and the time of a call."""

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from aeterna_code_search.integrations.codequery.configuration import RetryRules
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError
from aeterna_code_search.integrations.codequery.retry import Deadline, Retries
from tests.integrations.codequery.conftest import Ask
from tests.integrations.codequery.openai_server import KEY, Fault, Server, Trouble

BUSY = CodeQueryError(Code.RATE_LIMITED, "busy", is_transient=True)


def failing(times: int, problem: CodeQueryError = BUSY) -> "Failing":
    return Failing(times, problem)


class Failing:
    def __init__(self, times: int, problem: CodeQueryError) -> None:
        self.times, self.problem, self.calls = times, problem, 0

    def __call__(self, seconds: float) -> str:
        assert seconds > 0
        self.calls += 1
        if self.calls <= self.times:
            raise self.problem
        return "answer"


def test_t_cq_retry_01_429_triggers_retry_sequence(ask: Ask, server: Server) -> None:
    """FR-CQ-15: three attempts, with pauses of 200 and 500 ms and a jitter of up to 50 ms."""
    server.faults = [Fault(Trouble.BUSY, "POST", "/responses", 2)]
    assert ask()["status"] == "ok"
    assert server.count("POST", "/responses") == 3
    server.faults = [Fault(Trouble.BUSY, "POST", "/responses", 9)]
    answer = ask()
    assert answer["error"]["code"] == "rate_limited"
    assert server.count("POST", "/responses") == 6
    pauses: list[float] = []
    retries = Retries(RetryRules(), sleep=pauses.append, jitter=lambda: 0.5)
    assert retries.run(failing(2), Deadline(60_000), "asking") == "answer"
    assert pauses == [0.225, 0.525]
    four = Retries(RetryRules(max_attempts=4), sleep=pauses.append, jitter=lambda: 0)
    with pytest.raises(CodeQueryError, match="busy"):
        four.run(failing(4), Deadline(60_000), "asking")
    assert pauses[2:] == [0.2, 0.5, 1.0]


@pytest.mark.parametrize("trouble", [Trouble.BUSY, Trouble.BROKEN, Trouble.LATE, Trouble.DROPPED])
def test_a_transient_error_of_any_request_is_tried_again(
    ask: Ask, server: Server, trouble: Trouble
) -> None:
    server.faults = [
        Fault(trouble, "GET", "/vector_stores"),
        Fault(trouble, "POST", "/vector_stores"),
        Fault(trouble, "POST", "/files"),
        Fault(trouble, "GET", "/files"),
        Fault(trouble, "POST", "/responses"),
    ]
    answer = ask()
    assert answer["status"] == "ok"
    assert answer["indexed_count"] == 2
    assert server.faults == []


@pytest.mark.parametrize(
    ("trouble", "code"),
    [(Trouble.INVALID, "refused"), (Trouble.QUOTA, "refused"), (Trouble.A_PAGE, "bad_answer"),
     (Trouble.CUT, "bad_answer"), (Trouble.NONSENSE, "bad_answer")],
)  # fmt: skip
def test_other_errors_are_told_at_once(
    ask: Ask, server: Server, trouble: Trouble, code: str
) -> None:
    server.faults = [Fault(trouble, "POST", "/responses")]
    answer = ask()
    assert answer["error"]["code"] == code
    assert server.count("POST", "/responses") == 1


@pytest.mark.parametrize("path", ["/vector_stores", "/files"])
@pytest.mark.parametrize("trouble", [Trouble.A_PAGE, Trouble.CUT, Trouble.NONSENSE])
def test_nonsense_in_a_list_is_told(ask: Ask, server: Server, path: str, trouble: Trouble) -> None:
    server.faults = [Fault(trouble, "GET", path)]
    assert ask()["error"]["code"] == "bad_answer"
    assert server.uploaded == []


def test_validation_errors_are_not_tried_again(ask: Ask, server: Server, checkout: Path) -> None:
    """FR-CQ-16: a missing query, an empty file set."""
    assert ask("  ")["error"]["code"] == "invalid_request"
    (checkout / "src/tokens.py").unlink()
    (checkout / "src/login.go").unlink()
    answer = ask()
    assert answer["error"]["code"] == "no_files"
    assert server.requests == []


def test_a_pause_that_the_service_asks_for_is_kept() -> None:
    pauses: list[float] = []
    retries = Retries(RetryRules(), sleep=pauses.append, jitter=lambda: 0)
    busy = CodeQueryError(Code.RATE_LIMITED, "busy", is_transient=True, pause_seconds=7)
    assert retries.run(failing(1, busy), Deadline(60_000), "asking") == "answer"
    assert pauses == [7]


def test_a_pause_beyond_the_deadline_is_told_at_once(ask: Ask, server: Server) -> None:
    server.retry_after = "3600"
    server.faults = [Fault(Trouble.BUSY, "POST", "/responses", 9)]
    answer = ask()
    assert answer["error"]["code"] == "rate_limited"
    assert "retry after 3600 s" in answer["error"]["message"]
    assert server.count("POST", "/responses") == 1


def test_each_attempt_gets_its_share_of_the_time() -> None:
    shares: list[float] = []

    def attempt(seconds: float) -> str:
        shares.append(seconds)
        raise BUSY

    retries = Retries(RetryRules(), sleep=lambda _: None)
    with pytest.raises(CodeQueryError):
        retries.run(attempt, Deadline(60_000), "asking")
    assert [round(share) for share in shares] == [20, 30, 60]


@pytest.mark.parametrize("trouble", [Trouble.SLOW, Trouble.DRIPPING])
def test_a_request_without_an_answer_is_tried_again(
    ask: Ask, server: Server, monkeypatch: pytest.MonkeyPatch, trouble: Trouble
) -> None:
    """FR-CQ-15. One for the answer gets half of the time that is left."""
    monkeypatch.setattr(
        "aeterna_code_search.integrations.codequery.openai_requests.CODEQUERY_REQUEST_SECONDS", 0.3
    )
    monkeypatch.setattr(
        "aeterna_code_search.integrations.codequery.openai_service.CODEQUERY_REQUEST_SECONDS", 0.3
    )
    server.faults = [
        Fault(trouble, "GET", "/vector_stores"),
        Fault(trouble, "POST", "/files"),
        Fault(trouble, "GET", "/files"),
        Fault(trouble, "POST", "/responses"),
    ]
    answer = ask(timeout_ms=6_000)
    assert (answer["status"], answer["indexed_count"]) == ("ok", 2)
    assert server.faults == []


def test_a_service_that_never_answers_is_asked_three_times(ask: Ask, server: Server) -> None:
    server.faults = [Fault(Trouble.SLOW, "POST", "/responses", 99)]
    assert ask(timeout_ms=2_000)["error"]["code"] == "timeout"
    assert server.count("POST", "/responses") == 3


@pytest.mark.parametrize(
    ("trouble", "method", "path"),
    [(Trouble.SLOW, "POST", "/files"), (Trouble.SLOW, "POST", "/responses"),
     (Trouble.DRIPPING, "POST", "/responses"), (Trouble.DRIPPING, "GET", "/vector_stores")],
)  # fmt: skip
def test_it_cq_tmo_01_timeout_yields_error_payload(
    ask: Ask, server: Server, trouble: Trouble, method: str, path: str
) -> None:
    """NFR-CQ-REL-02."""
    server.faults = [Fault(trouble, method, path, 99)]
    started = time.monotonic()
    answer = ask(timeout_ms=500)
    assert time.monotonic() - started < 20  # the stand-in would keep it for a minute
    assert answer["status"] == "error"
    assert answer["error"]["code"] == "timeout"
    assert "timeout_ms" in answer["error"]["message"]
    assert answer["answer"] is None
    assert answer.keys() >= {"indexed_count", "skipped_count", "deleted_count", "query"}
    server.faults = []
    server.let_go.set()
    assert ask()["status"] == "ok"


def test_a_service_that_is_away_is_told(
    ask: Ask, environ: Mapping[str, str], server: Server
) -> None:
    answer = ask(environ={**environ, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    assert answer["error"]["code"] == "unreachable"
    assert "OPENAI_BASE_URL" in answer["error"]["message"]
    assert KEY not in str(answer)


def test_no_error_has_the_key(ask: Ask, server: Server, environ: Mapping[str, str]) -> None:
    """NFR-CQ-SEC-01. The stand-in repeats the key in its 500, and a part of it in its 401."""
    server.faults = [Fault(Trouble.BROKEN, "POST", "/responses", 3)]
    answer = ask()
    assert answer["error"]["code"] == "service_error"
    assert KEY not in str(answer)
    wrong = "sk-wrong-key-of-somebody-0123"
    refused = ask(environ={**environ, "OPENAI_API_KEY": wrong})
    assert refused["error"]["code"] == "refused"
    assert "OPENAI_API_KEY" in refused["error"]["message"]
    assert wrong[:8] not in str(refused)
    assert wrong[-4:] not in str(refused)


def test_an_answer_that_drips_in_holds_no_lock_after_the_call(ask: Ask, server: Server) -> None:
    store_id = ask()["vector_store_id"]
    server.faults = [Fault(Trouble.DRIPPING, "GET", f"/{store_id}/files", times=9)]
    assert ask(timeout_ms=600)["error"]["code"] == "timeout"
    server.faults = []
    assert ask(timeout_ms=20_000)["status"] == "ok"


def test_an_answer_is_not_read_beyond_its_bound(
    ask: Ask, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "aeterna_code_search.integrations.codequery.openai_requests.CODEQUERY_API_BYTES", 40
    )
    server.faults = [Fault(Trouble.DRIPPING)]  # a megabyte, if one waits for it
    assert ask(timeout_ms=20_000)["error"]["code"] == "bad_answer"
    assert server.uploaded == []
