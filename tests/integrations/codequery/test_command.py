"""`codesearch codequery`, in a process of its own."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from indexer.exits import Exit
from tests.cli.command import codesearch
from tests.integrations.codequery.openai_server import KEY, Fault, Server, Trouble


def run(
    environ: Mapping[str, str], checkout: Path, *arguments: str, given: str = ""
) -> tuple[int, dict[str, Any], str]:
    """Exit code, the response, and all output."""
    done = codesearch("codequery", *arguments, directory=checkout, environ=environ, given=given)
    return done.returncode, json.loads(done.stdout), done.stdout + done.stderr


def test_options_and_a_request_on_standard_input_say_the_same(
    environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    code, answer, _ = run(
        environ, checkout, "verify_token", "token", "--include-results", "--model", "gpt-5",
        "--vector-store-name", "ours", "--file", "src/tokens.py", "--concurrent-limit", "2",
        "--timeout-ms", "50000", "--max-num-results", "3",
    )  # fmt: skip
    assert code == 0
    assert answer["indexed_count"] == 1
    request = {
        "query": "verify_token token", "include_results": True, "model": "gpt-5",
        "vector_store_name": "ours", "file_paths": ["src/tokens.py"], "concurrent_limit": 2,
        "timeout_ms": 50_000, "max_num_results": 3,
    }  # fmt: skip
    code, again, _ = run(environ, checkout, given=json.dumps(request))
    assert code == 0
    assert again == {**answer, "indexed_count": 0, "skipped_count": 1}
    by_id = ("--vector-store-id", answer["vector_store_id"])
    assert run(environ, checkout, "token", *by_id)[1]["vector_store_name"] == "ours"


def test_a_dry_run_needs_neither_query_nor_key_nor_switch(
    environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    Path(environ["CODESEARCH_CONFIG"]).write_text("")
    code, told, _ = run(environ, checkout, "--dry-run")
    assert code == 0
    assert told["upload_bytes"] == sum(
        path.stat().st_size for path in checkout.rglob("*") if path.is_file()
    )
    given = json.dumps({"query": "x", "file_paths": ["src/tokens.py"]})
    _, told, _ = run(environ, checkout, "--dry-run", given=given)
    assert [one["path"] for one in told["uploads"]] == ["src/tokens.py"]
    assert server.requests == []


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("", "is empty"),
        ("{", "is not a JSON object"),
        ("[1]", "is not a JSON object"),
        ("[" * 100_000, "is not a JSON object"),
        ("[" + "0," * 300_000 + "0]", "is too long"),
        (" " * 3_000_000, "is too long"),
        ('{"query": "x", "limit": 5}', "unknown field limit"),
    ],
    ids=["empty", "half", "list", "deep", "values", "bytes", "field"],
)
def test_wrong_input_is_answered_as_json(
    environ: Mapping[str, str], checkout: Path, given: str, complaint: str
) -> None:
    code, answer, _ = run(environ, checkout, given=given)
    assert code == Exit.USAGE
    assert answer["error"]["code"] == "invalid_request"
    assert complaint in answer["error"]["message"]


@pytest.mark.parametrize(
    ("trouble", "code"),
    [(Trouble.BUSY, Exit.UNREACHABLE), (Trouble.QUOTA, Exit.REFUSED),
     (Trouble.NONSENSE, Exit.NOT_INDEXED)],
)  # fmt: skip
def test_the_exit_code_is_the_error_s_and_no_output_has_the_key(
    environ: Mapping[str, str], checkout: Path, server: Server, trouble: Trouble, code: Exit
) -> None:
    server.faults = [Fault(trouble, "POST", "/responses", 9)]
    ended, answer, output = run(environ, checkout, "verify_token")
    assert ended == code
    assert answer["status"] == "error"
    assert KEY not in output


def test_where_it_is_off_the_command_says_so(
    environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    Path(environ["CODESEARCH_CONFIG"]).write_text("")
    code, answer, _ = run(environ, checkout, "verify_token")
    assert (code, answer["error"]["code"]) == (Exit.USAGE, "disabled")
    assert server.requests == []
