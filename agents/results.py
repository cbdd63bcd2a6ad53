"""Results of tool calls: successes, failures, and projects that are not indexed."""

import re
from collections.abc import Mapping
from typing import Any, Final

from mcp.types import CallToolResult, TextContent

from agents.backend import INDEX_NOT_FOUND, ErrorHints, ToolError
from indexer.output.terminal import escape_line

COMMITS_UNKNOWN: Final = "commits_unknown"  # in receipts: which projects answered is not known
ERROR_KEY = "codesearch/error"  # in `_meta`: {code, status, message, near}
MESSAGE_CHARACTERS = 2_000  # of another server
_CODE = re.compile(r"[A-Za-z_]{1,64}")
_NEAR_NAMES, _NAME_CHARACTERS = 20, 200


def success(text: str, structure: Mapping[str, Any]) -> CallToolResult:
    """The result of a call that was answered."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=dict(structure)
    )


def failure(error: ToolError) -> CallToolResult:
    """The result of a call that was refused, or that failed as calls may."""
    text = escape_line(f"{error.code} ({error.status}): {error}")
    details: dict[str, Any] = {"code": error.code, "status": error.status, "message": error.message}
    if error.near:
        details["near"] = list(error.near)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], is_error=True, _meta={ERROR_KEY: details}
    )


def error_in(result: CallToolResult) -> ToolError | None:
    """What `refused` was given; None if the result is no error, or one of another server's kind."""
    details = (result.meta or {}).get(ERROR_KEY) if result.is_error else None
    if not isinstance(details, Mapping):
        return None
    code, status, message = (details.get(name) for name in ("code", "status", "message"))
    if not (isinstance(code, str) and _CODE.fullmatch(code) and isinstance(message, str)):
        return None
    if type(status) is not int or not 400 <= status <= 599:
        return None
    near = names_in(details.get("near"))
    return ToolError(message[:MESSAGE_CHARACTERS], code=code, status=status, near=near)


def names_in(near: object) -> list[str]:
    """The names that another server calls near, as far as they are ones."""
    names = [name for name in near if isinstance(name, str)] if isinstance(near, list) else []
    return [name[:_NAME_CHARACTERS] for name in names[:_NEAR_NAMES]]


def is_unindexed(answer: Mapping[str, Any]) -> bool:
    """Whether a search found nothing because nothing was there to be searched."""
    receipt = answer["receipt"]
    reasons = {row["reason"] for row in receipt["missing"]}
    return not (answer["results"] or receipt["projects"] or COMMITS_UNKNOWN in reasons)


def with_hint(answer: dict[str, Any], hints: ErrorHints) -> dict[str, Any]:
    """A search's answer; where nothing was searched, its hint says what to do about it."""
    if not is_unindexed(answer):
        return answer
    reasons = {row["reason"] for row in answer["receipt"]["missing"]}
    what = "code_index_status lists the projects that there are."
    if "unknown_project" not in reasons:
        what = hints.build_index
    return {**answer, "hint": f"{answer['hint'] or ''} {what}".strip()}


def index_not_found(hints: ErrorHints) -> ToolError:
    """The refusal of a call that needs an index."""
    message = f"Nothing is indexed here. {hints.build_index}"
    return ToolError(message, code=INDEX_NOT_FOUND, status=404)
