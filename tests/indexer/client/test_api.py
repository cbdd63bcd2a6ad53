"""The client and its transport: retries, errors, signatures; over real HTTP."""

import gzip
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from indexer.client.api import IndexingClient, OpenRequest
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.errors import (
    CentralError,
    CentralRateLimitedError,
    CentralRefusedError,
    CentralUnreachableError,
    RunConflictError,
    RunFailedError,
    RunStaleError,
)
from indexer.exits import Exit
from indexer.records.runs import Mode, Plan, Reason, RunStats
from tests.indexer.central import TOKEN, StandIn, stand_in

REQUEST = OpenRequest("acme", "shop", "refs/heads/main", "c" * 40, "extractor-1")


@pytest.fixture
def server() -> Iterator[StandIn]:
    with stand_in() as server:
        yield server


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def central(server: StandIn, pauses: list[float]) -> Iterator[IndexingClient]:
    transport = Transport(url=server.url, credentials=StaticToken(TOKEN), sleep=pauses.append)
    yield IndexingClient(transport)
    transport.close()


def failure(
    status: int, code: str = "busy", headers: dict[str, str] | None = None, **more: Any
) -> tuple[int, dict[str, Any], dict[str, str]]:
    return status, {"code": code, "detail": "As it says.", **more}, headers or {}


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_pass_is_tried_again(
    server: StandIn, central: IndexingClient, pauses: list[float], status: int
) -> None:
    server.failures = [failure(status)] * 3
    central.put_batch("run-1", 1, b"body")
    assert [gzip.decompress(request.body) for request in server.requests] == [b"body"] * 4
    assert len(pauses) == 3
    assert all(0.1 <= pause <= 0.8 for pause in pauses)


def test_the_server_may_ask_for_a_longer_pause(
    server: StandIn, central: IndexingClient, pauses: list[float]
) -> None:
    server.failures = [failure(429, headers={"Retry-After": "7"})]
    central.put_batch("run-1", 1, b"")
    assert pauses == [7.0]


def test_a_pause_that_is_no_number_is_not_kept(
    server: StandIn, central: IndexingClient, pauses: list[float]
) -> None:
    server.failures = [failure(429, headers={"Retry-After": asked}) for asked in ("²", "Mon")]
    central.put_batch("run-1", 1, b"")
    assert len(pauses) == 2
    assert max(pauses) < 1


def test_waiting_has_an_end(server: StandIn) -> None:
    server.failures = [failure(503, headers={"Retry-After": "3600"})]
    transport = Transport(url=server.url, credentials=StaticToken(TOKEN), retry_seconds=5.0)
    with pytest.raises(CentralUnreachableError, match="503"):
        transport.request("GET", "/")
    transport.close()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (failure(429, "throttled"), r"\(HTTP 429\): As it says\..*later.*AETERNA_RATE_INDEX"),
        (failure(429, "too_many_open_runs"), r"\(HTTP 429\): As it says\.$"),
        ((429, None, {}), r"\(HTTP 429\): Too Many Requests\..*later.*AETERNA_RATE_INDEX"),
    ],
)
def test_a_rate_limit_that_outlasts_the_retries_is_told_with_what_to_do(
    server: StandIn, answer: Any, says: str
) -> None:
    server.failures = [answer] * 50
    transport = Transport(url=server.url, credentials=StaticToken(TOKEN), retry_seconds=0.3)
    with pytest.raises(CentralRateLimitedError, match=says) as caught:
        transport.request("GET", "/")
    assert "did not answer" not in f"{caught.value.title} {caught.value}"
    assert caught.value.exit_code is Exit.UNREACHABLE
    transport.close()


def test_a_service_that_is_away_is_named_with_what_to_check() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    transport = Transport(url=url, credentials=StaticToken(TOKEN), retry_seconds=0.0)
    with pytest.raises(CentralUnreachableError, match="AETERNA_URL") as caught:
        IndexingClient(transport).open_run(REQUEST)
    assert TOKEN not in str(caught.value)
    transport.close()


@pytest.mark.parametrize(
    ("answer", "error", "match"),
    [
        (failure(400, "invalid"), CentralRefusedError, "invalid"),
        (failure(401, "unauthenticated"), CentralRefusedError, "AETERNA_TOKEN"),
        (failure(403, "ref_not_tracked"), CentralRefusedError, "As it says"),
        (failure(404, "not_found"), CentralRefusedError, "organisation"),
        (failure(413, "batch_too_large"), CentralRefusedError, "split"),
        (failure(409, "batch_conflict"), CentralRefusedError, "batch_conflict"),
        (failure(409, "run_in_progress", run_id="r"), RunConflictError, "As it says"),
        (failure(409, "run_not_open", state="stale"), RunStaleError, "As it says"),
        (failure(409, "run_not_open", state="expired"), CentralRefusedError, "run_not_open"),
        (failure(500, "internal_error"), CentralUnreachableError, "500"),
        ((200, {"run_id": "x"}, {}), CentralError, "up to date"),
        ((200, None, {}), CentralError, "up to date"),
    ],
)
def test_answers_become_the_errors_that_they_stand_for(
    server: StandIn, central: IndexingClient, answer: Any, error: type[CentralError], match: str
) -> None:
    server.failures = [answer]
    with pytest.raises(error, match=match) as caught:
        central.open_run(REQUEST)
    assert type(caught.value) is error
    assert TOKEN not in str(caught.value)
    if isinstance(caught.value, CentralRefusedError):
        assert (caught.value.status, caught.value.code) == (answer[0], answer[1]["code"])


def test_an_indexed_commit_that_is_none_is_never_given_to_git(
    server: StandIn, central: IndexingClient
) -> None:
    server.base_commit = "--upload-pack=touch pwned"
    with pytest.raises(CentralError, match="is not a commit"):
        central.open_run(REQUEST)


def test_the_webhook_is_signed_with_the_runs_secret(
    server: StandIn, central: IndexingClient
) -> None:
    run = central.open_run(REQUEST)
    server.failures = [failure(503)]
    plan = Plan(Mode.FULL, Reason.FIRST_INDEX)
    followed = central.send_webhook(REQUEST, run, plan, batches=2, stats=RunStats(chunks=3))
    assert followed == ("/", None)  # an older server has no pages
    first, second = server.requests[-2:]  # the stand-in has verified the second
    assert first.body == second.body
    assert second.headers["webhook-id"] == run.run_id
    assert server.webhook["mode"] == "full"
    assert server.webhook["batches"] == 2
    assert server.webhook["base_commit"] is None


def test_known_embeddings_go_as_hexadecimal(server: StandIn, central: IndexingClient) -> None:
    one, other = b"\x01" * 32, b"\x02" * 32
    server.failures = [(200, {"known": [one.hex()]}, {})]
    assert central.known_embeddings("run-1", [one, other]) == {one: None}


def test_waiting_reports_every_state(server: StandIn, central: IndexingClient) -> None:
    server.outcomes = ["queued", "applying", "applied"]
    seen: list[str] = []
    central.wait_for_apply(
        "run-1", timeout_seconds=5.0, on_state=lambda run: seen.append(run.state)
    )
    assert seen == ["queued", "applying", "applied"]


@pytest.mark.parametrize(("seconds", "query"), [(0.0, ""), (1.5, "?wait=2"), (60.0, "?wait=5")])
def test_central_waits_in_portions_so_that_progress_is_seen(
    server: StandIn, central: IndexingClient, seconds: float, query: str
) -> None:
    central.wait_for_apply("run-1", timeout_seconds=seconds)
    assert [request.path for request in server.requests] == [f"/api/v1/index/runs/run-1{query}"]


@pytest.mark.parametrize(("seconds", "query"), [(0.0, ""), (7.0, "?wait=7"), (60.0, "?wait=25")])
def test_central_waits_for_the_end_of_another_run_as_long_as_it_can(
    server: StandIn, central: IndexingClient, seconds: float, query: str
) -> None:
    central.wait_for_end("run-1", timeout_seconds=seconds)
    assert [request.path for request in server.requests] == [f"/api/v1/index/runs/run-1{query}"]


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ("stale", RunStaleError),
        ("failed", RunFailedError),
        ("expired", RunFailedError),
        ("abandoned", RunFailedError),
        ("applying", RunFailedError),
    ],
)
def test_a_run_that_is_not_applied_is_an_error(
    server: StandIn, central: IndexingClient, state: str, error: type[CentralError]
) -> None:
    server.outcomes = [state]
    with pytest.raises(error, match=state):
        central.wait_for_apply("run-1", timeout_seconds=0.0)
