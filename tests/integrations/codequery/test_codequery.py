"""CodeQuery as a function: requests, responses, dry runs."""

import inspect
import logging
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aeterna_code_search.integrations.codequery as package
from aeterna_code_search.integrations.codequery import CodeQuery, code_query, codequery
from aeterna_code_search.integrations.codequery.errors import EXIT_CODES, Code
from aeterna_code_search.integrations.codequery.openai_requests import Account
from aeterna_code_search.integrations.codequery.records import FIELDS, Request
from aeterna_code_search.integrations.codequery.tool import _result
from tests.integrations.codequery.conftest import Ask
from tests.integrations.codequery.openai_server import KEY, Server


def test_it_cq_e2e_01_index_and_search_returns_answer(ask: Ask, server: Server) -> None:
    """FR-CQ-03, FR-CQ-13."""
    answer = ask("where is verify_token")
    assert answer == {
        "status": "ok",
        "vector_store_id": next(iter(server.stores)),
        "vector_store_name": answer["vector_store_name"],
        "indexed_count": 2,
        "skipped_count": 0,
        "deleted_count": 0,
        "moved_count": 0,
        "query": "where is verify_token",
        "answer": "It is in src/tokens.py.",
    }
    asked = server.bodies[-1]
    assert asked["model"] == "gpt-5-mini"
    assert asked["input"] == "where is verify_token"
    assert asked["tools"] == [
        {"type": "file_search", "vector_store_ids": [answer["vector_store_id"]]}
    ]
    assert asked["store"] is False


def test_results_are_the_best_matches_with_their_paths(
    ask: Ask, server: Server, checkout: Path
) -> None:
    """FR-CQ-14."""
    (checkout / "long.py").write_text("alpha\n" + "x = 1\n" * 2_000)
    (checkout / "other.py").write_text("alpha beta\n")
    answer = ask("alpha beta", include_results=True, max_num_results=2, model="gpt-5.1")
    assert [one["file_path"] for one in answer["results"]] == ["other.py", "long.py"]
    assert [one["score"] for one in answer["results"]] == [1.0, 0.5]
    assert len(answer["results"][1]["text"]) == 2_000
    assert server.bodies[-1]["include"] == ["file_search_call.results"]
    assert server.bodies[-1]["tools"][0]["max_num_results"] == 2
    assert server.bodies[-1]["model"] == "gpt-5.1"
    assert "results" not in ask("alpha")


def test_the_tool_has_its_names() -> None:
    """FR-CQ-01."""
    assert CodeQuery is code_query is codequery
    assert set(package.__all__) == {"CodeQuery", "code_query", "codequery"}


def test_the_request_has_the_fields_and_defaults_of_the_specification(ask: Ask) -> None:
    """FR-CQ-02."""
    from aeterna_code_search.integrations.codequery.configuration import Configuration

    default = Configuration(source=Path("/a"), cache_path=Path("/b"))
    assert Request.read({"query": "q"}, default) == Request(
        query="q", concurrent_limit=5, timeout_ms=60_000, include_results=False,
        vector_store_id=None, vector_store_name=None, file_paths=None, model="gpt-5-mini",
        max_num_results=None,
    )  # fmt: skip
    assert set(FIELDS) == set(inspect.signature(Request).parameters)
    everything = dict.fromkeys(FIELDS) | {"query": "q"}
    assert Request.read(everything, default) == Request.read({"query": "q"}, default)
    configured = replace(default, default_timeout_ms=7, include_results=True)
    assert Request.read({"query": "q"}, configured).timeout_ms == 7
    assert Request.read({"query": "q"}, configured).include_results
    assert not Request.read({"query": "q", "include_results": False}, configured).include_results


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "query is required"),
        ({"query": ""}, "query is required"),
        ({"query": 5}, "query must be a string"),
        ({"query": "x" * 4_001}, "at most 4,000 characters"),
        ({"query": "x\ud800"}, "lone surrogate"),
        ({"query": "x", "concurrent_limit": 0}, "from 1 to 20"),
        ({"query": "x", "concurrent_limit": 21}, "from 1 to 20"),
        ({"query": "x", "concurrent_limit": True}, "from 1 to 20"),
        ({"query": "x", "timeout_ms": 0}, "from 1 to 3,600,000"),
        ({"query": "x", "timeout_ms": "60"}, "from 1 to 3,600,000"),
        ({"query": "x", "max_num_results": 51}, "from 1 to 50"),
        ({"query": "x", "include_results": "yes"}, "true or false"),
        ({"query": "x", "model": "gpt-4o"}, "starts with gpt-5"),
        ({"query": "x", "model": "gpt-5 mini"}, "starts with gpt-5"),
        ({"query": "x", "vector_store_id": "../files"}, "must be an id"),
        ({"query": "x", "vector_store_name": " "}, "printable"),
        ({"query": "x", "vector_store_name": "x" * 257}, "printable"),
        ({"query": "x", "file_paths": "a.py"}, "list of paths"),
        ({"query": "x", "file_paths": [1]}, "list of paths"),
        ({"query": "x", "file_paths": []}, "file_paths is empty"),
        ({"query": "x", "file_paths": ["a"] * 10_001}, "at most 10,000"),
        ({"query": "x", "file_paths": ["src"]}, "is a directory"),
        ({"query": "x", "path": "a.py"}, "unknown field path"),
        ("x", "must be an object"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_before_anything_is_asked(
    environ: Mapping[str, str], checkout: Path, server: Server, given: Any, complaint: str
) -> None:
    answer = codequery(given, environ=environ, directory=checkout)
    assert answer["status"] == "error"
    assert complaint in answer["error"]["message"]
    assert answer["error"]["code"] in {"invalid_request", "no_files"}
    assert server.requests == []


def test_an_answer_without_words_is_an_error(ask: Ask, server: Server) -> None:
    server.says_nothing = True
    answer = ask()
    assert answer["error"]["code"] == "no_answer"
    assert answer["indexed_count"] == 2


def test_results_of_a_service_that_answers_nonsense_can_be_written() -> None:
    for score in (10**400, float("nan"), float("inf"), -1, "1", None):
        row = _result({"score": score, "filename": 5, "text": "half \ud800"})
        assert row == {"file_path": "5", "score": 0.0, "text": "half ?"}


def test_a_model_that_is_not_there_is_told(ask: Ask) -> None:
    answer = ask(model="gpt-5-absent")
    assert answer["error"]["code"] == "refused"
    assert "gpt-5-absent" in answer["error"]["message"]


@pytest.mark.parametrize("key", [{}, {"OPENAI_API_KEY": "sk\nwrong"}, {"OPENAI_API_KEY": "ö"}])
def test_without_a_key_nothing_is_asked(
    environ: Mapping[str, str], ask: Ask, server: Server, key: dict[str, str]
) -> None:
    without = {name: value for name, value in environ.items() if name != "OPENAI_API_KEY"}
    answer = ask(environ={**without, **key})
    assert answer["error"]["code"] == "configuration"
    assert "OPENAI_API_KEY" in answer["error"]["message"]
    assert server.requests == []


def test_the_key_may_be_in_a_file(environ: Mapping[str, str], ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    without = {name: value for name, value in environ.items() if name != "OPENAI_API_KEY"}
    assert ask(environ={**without, "OPENAI_API_KEY_FILE": str(tmp_path / "key")})["status"] == "ok"


def test_the_key_is_in_no_log_and_no_repr(
    ask: Ask, environ: Mapping[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ask()
    assert KEY not in caplog.text
    assert KEY not in repr(Account.load(environ))


# Dry runs


def test_a_dry_run_says_what_would_happen_and_changes_nothing(
    ask: Ask, server: Server, checkout: Path
) -> None:
    store_id = ask()["vector_store_id"]
    (checkout / "src/tokens.py").rename(checkout / "auth.py")
    (checkout / "src/login.go").unlink()
    (checkout / "new.py").write_text("new = 1\n")
    (checkout / ".env").write_text("A=1\n")
    before = server.paths(store_id)
    server.requests.clear()
    told = ask(dry_run=True)
    assert told["uploads"] == [{"path": "new.py", "bytes": 8}]
    assert (told["upload_count"], told["upload_bytes"]) == (1, 8)
    assert told["deletes"] == ["src/login.go"]
    assert told["moves"] == [{"from": "src/tokens.py", "to": "auth.py"}]
    assert told["skipped"] == [{"path": ".env", "reason": "looks like a secret"}]
    assert told["vector_store_id"] == store_id
    assert all(one.startswith("GET") for one in server.requests)
    assert server.paths(store_id) == before


def test_a_dry_run_makes_no_store(ask: Ask, server: Server) -> None:
    told = ask(dry_run=True)
    assert told["upload_count"] == 2
    assert server.stores == {}


@pytest.mark.parametrize("switch", ["enabled = false", "enabled = true"])
def test_a_dry_run_without_key_or_switch_asks_nobody(
    ask: Ask, environ: Mapping[str, str], server: Server, switch: str
) -> None:
    Path(environ["CODESEARCH_CONFIG"]).write_text(f"[codequery]\n{switch}\n")
    if "true" in switch:
        environ = {name: value for name, value in environ.items() if name != "OPENAI_API_KEY"}
    told = ask(dry_run=True, environ=environ)
    assert (told["status"], told["upload_count"]) == ("ok", 2)
    assert told["enabled"] is ("true" in switch)
    assert server.requests == []


# The package


def test_every_code_has_an_exit_code() -> None:
    assert EXIT_CODES.keys() == set(Code)


def test_it_is_imported_without_openai_and_says_if_that_is_missing(
    environ: Mapping[str, str], checkout: Path
) -> None:
    source = f"""
import sys
from pathlib import Path
from aeterna_code_search.integrations.codequery import CodeQuery
heavy = {{"openai", "pathspec", "httpx", "duckdb"}}
assert not heavy & {{name.partition(".")[0] for name in sys.modules}}
sys.modules["openai"] = None
print(CodeQuery(query="x", environ={dict(environ)!r}, directory=Path({str(checkout)!r}))["error"])
"""
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )
    assert "'code': 'not_installed'" in done.stdout
    assert "pip install 'aeterna-code-search[codequery]'" in done.stdout
