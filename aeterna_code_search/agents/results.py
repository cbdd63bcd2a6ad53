"""Results of tool calls: successes, failures, projects that are not indexed, and replies.

A reply is an answer with its forms, which is cut to the budget of what is sent.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.types import CallToolResult, TextContent

from aeterna_code_search.agents.backend import INDEX_NOT_FOUND, ErrorHints, ToolError
from aeterna_code_search.agents.tokens import estimate_tokens
from aeterna_code_search.agents.truncation import (
    Answer,
    Budget,
    Structure,
    Text,
    Truncate,
    largest,
    shown,
)
from indexer.output.terminal import escape_line

COMMITS_UNKNOWN: Final = "commits_unknown"  # in receipts: the projects of the answer are unknown
ERROR_KEY = "codesearch/error"  # in `_meta`: {code, status, message, near}
SERVER_MESSAGE_CHARACTERS = 2_000  # in a message of another server
_CODE = re.compile(r"[A-Za-z_]{1,64}")
_NEAR_NAMES, _NAME_CHARACTERS = 20, 200


def success(text: str, structure: Mapping[str, Any] | None) -> CallToolResult:
    """Return the result of a successful call."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=None if structure is None else shown(structure),
    )


def failure(error: ToolError) -> CallToolResult:
    """Return the result of a failed call."""
    text = escape_line(f"{error.code} ({error.status}): {error}")
    details = {"code": error.code, "status": error.status, "message": error.message}
    if error.near:
        details["near"] = error.near
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        is_error=True,
        _meta={ERROR_KEY: shown(details)},
    )


def error_in(result: CallToolResult) -> ToolError | None:
    """Return the error that was passed to `failure`; None if the result has no such error."""
    details = (result.meta or {}).get(ERROR_KEY) if result.is_error else None
    if not isinstance(details, Mapping):
        return None
    code, status, message = (details.get(name) for name in ("code", "status", "message"))
    if not (isinstance(code, str) and _CODE.fullmatch(code) and isinstance(message, str)):
        return None
    if type(status) is not int or not 400 <= status <= 599:
        return None
    near = names_in(details.get("near"))
    return ToolError(message[:SERVER_MESSAGE_CHARACTERS], code=code, status=status, near=near)


def names_in(near: object) -> list[str]:
    """Return the valid names of another server's `near`."""
    names = [name for name in near if isinstance(name, str)] if isinstance(near, list) else []
    return [name[:_NAME_CHARACTERS] for name in names[:_NEAR_NAMES]]


def is_unindexed(answer: Mapping[str, Any]) -> bool:
    """Whether a search has no results because no project was searched."""
    receipt = answer["receipt"]
    reasons = {row["reason"] for row in receipt["missing"]}
    return not (answer["results"] or receipt["projects"] or COMMITS_UNKNOWN in reasons)


def with_hint(answer: dict[str, Any], hints: ErrorHints) -> dict[str, Any]:
    """Add a hint to the answer of a search that searched no project."""
    if not is_unindexed(answer):
        return answer
    reasons = {row["reason"] for row in answer["receipt"]["missing"]}
    what = "code_index_status lists the projects."
    if "unknown_project" not in reasons:
        what = hints.build_index
    return {**answer, "hint": f"{answer['hint'] or ''} {what}".strip()}


def index_not_found(hints: ErrorHints) -> ToolError:
    """Return the error of a call that needs an index."""
    message = f"Nothing is indexed here. {hints.build_index}"
    return ToolError(message, code=INDEX_NOT_FOUND, status=404)


def code_answer(answer: Mapping[str, Any], milliseconds: float) -> dict[str, Any]:
    """Build the answer of `search_code` from a search answer."""
    results = [_code_result(row) for row in answer["results"]]
    return {
        "results": results,
        "totalResults": len(results),
        "searchTimeMs": milliseconds,
        "complete": answer["receipt"]["complete"],
        "hint": answer["hint"],
    }


def _code_result(row: Mapping[str, Any]) -> dict[str, Any]:
    result = {
        "path": row["file"],
        "text": row["content"],
        "score": row["score"],
        "startLine": row["start_line"],
        "endLine": row["end_line"],
        "truncated": row["truncated"],
        "project": row["project"],
        "commit": row["commit"],
    }
    return {**result, "local": True} if row.get("local") else result


_CUT: Final = "\n… (cut: max_tokens)"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, its text form, and how it is truncated.

    `max_tokens`: None sends all of it. `structure`: what is sent beside the text in any case; None
    if the caller chooses.
    """

    answer: Answer
    text: Text
    truncate: Truncate | None = None
    max_tokens: int | None = None
    structure: Structure | None = None


def result_of(reply: Reply, structure: Structure | None) -> CallToolResult:
    """Return the result of a call, within its budget; `structure` is sent beside the text."""
    answer, form = reply.answer, reply.structure or structure
    if reply.max_tokens is None or reply.truncate is None:
        return success(reply.text(answer), form and form(answer))
    budget = Budget(reply.max_tokens, reply.text, form)
    answer = reply.truncate(answer, budget)
    text = reply.text(answer)
    if budget.holds(answer):
        return success(text, form and form(answer))
    return success(_beginning(text, reply.max_tokens), None)


def _beginning(text: str, max_tokens: int) -> str:
    """Return as much of a text as fits: a long query alone may be more."""
    if estimate_tokens(text) <= max_tokens:
        return text
    count = largest(len(text), lambda end: estimate_tokens(text[:end] + _CUT) <= max_tokens)
    return text[:count] + _CUT
