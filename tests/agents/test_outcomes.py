"""Errors of tools, told and read again."""

import pytest
from mcp.types import CallToolResult

from agents.errors import RefusedError
from agents.outcomes import ERROR_KEY, answered, refusal_in, refused


def test_what_is_refused_is_read_again() -> None:
    told = refusal_in(refused(RefusedError("Name a project.", code="ambiguous", status=409)))
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
    ],
)
def test_errors_of_other_servers_are_not_ours(meta: dict[str, object] | None) -> None:
    assert refusal_in(CallToolResult(content=[], is_error=True, _meta=meta)) is None


def test_an_answer_is_no_refusal() -> None:
    assert refusal_in(answered("text", {"count": 0})) is None
