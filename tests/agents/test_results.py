"""Errors of tools, told and read again."""

import pytest
from mcp.types import CallToolResult

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.results import ERROR_KEY, error_in, failure, success


def test_what_is_refused_is_read_again() -> None:
    told = error_in(failure(ToolError("Name a project.", code="ambiguous", status=409)))
    assert told is not None
    assert (str(told), told.code, told.status) == ("Name a project.", "ambiguous", 409)


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        {ERROR_KEY: "text"},
        {ERROR_KEY: {"code": "x"}},
        {ERROR_KEY: {"code": "x", "status": "404", "message": "y"}},
        {ERROR_KEY: {"code": "x", "status": True, "message": "y"}},
        {ERROR_KEY: {"code": "x", "status": 200, "message": "y"}},
        {ERROR_KEY: {"code": "", "status": 404, "message": "y"}},
        {ERROR_KEY: {"code": "x" * 65, "status": 404, "message": "y"}},
        {ERROR_KEY: {"code": "ok\nforged", "status": 404, "message": "y"}},
    ],
)
def test_errors_of_other_servers_are_not_ours(meta: dict[str, object] | None) -> None:
    assert error_in(CallToolResult(content=[], is_error=True, _meta=meta)) is None


def test_near_names_are_told_apart_from_the_sentence() -> None:
    outcome = failure(ToolError("Not known.", code="gone", status=404, near=["a", "b"]))
    told = error_in(outcome)
    assert told is not None
    assert (told.message, told.near, str(told)) == (
        "Not known.",
        ("a", "b"),
        "Not known. Similar names: a, b.",
    )


def test_what_another_server_says_at_length_is_cut() -> None:
    near = ["n" * 1_000, 3] * 50
    members = {"code": "x", "status": 404, "message": "m" * 1_000_000, "near": near}
    told = error_in(CallToolResult(content=[], is_error=True, _meta={ERROR_KEY: members}))
    assert told is not None
    assert (len(told.message), len(told.near), len(told.near[0])) == (2_000, 20, 200)


def test_an_answer_is_no_refusal() -> None:
    assert error_in(success("text", {"count": 0})) is None


def test_hidden_characters_are_shown_in_all_of_a_result() -> None:
    rows = {"rows": [{"file": "a\u202e.py", "lines": ("\U000e0041x\ny",)}], "b\u2066": 1}
    assert success("text", rows).structured_content == {
        "rows": [{"file": "a[U+202E].py", "lines": ["[U+E0041]x\ny"]}],
        "b[U+2066]": 1,
    }
    refused = failure(ToolError("No a\u202e.", code="x", status=404, near=["a\u200f"]))
    told = error_in(refused)
    assert told is not None
    assert (told.message, told.near) == ("No a[U+202E].", ("a[U+200F]",))
