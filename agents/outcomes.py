"""Results of tool calls: an answer in both forms, or an error that a program can read too.

An error's code, status and message stand in its text and in `_meta`, not in structured content:
clients hold that against the tool's output schema even for errors, and then show their own
complaint instead of ours (modelcontextprotocol/typescript-sdk#1943).
"""

from collections.abc import Mapping
from typing import Any

from mcp.types import CallToolResult, TextContent

from agents.errors import RefusedError
from indexer.printable import one_line

ERROR_KEY = "codesearch/error"  # in `_meta`: {code, status, message}


def answered(text: str, structure: Mapping[str, Any]) -> CallToolResult:
    """The result of a call that was answered."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=dict(structure)
    )


def refused(error: RefusedError) -> CallToolResult:
    """The result of a call that was refused, or that failed as calls may."""
    text = one_line(f"{error.code} ({error.status}): {error.message}")
    told = {"code": error.code, "status": error.status, "message": error.message}
    return CallToolResult(
        content=[TextContent(type="text", text=text)], is_error=True, _meta={ERROR_KEY: told}
    )


def refusal_in(result: CallToolResult) -> RefusedError | None:
    """What `refused` was given; None if the result is no error, or one of another server's kind."""
    told = (result.meta or {}).get(ERROR_KEY) if result.is_error else None
    if not isinstance(told, Mapping):
        return None
    code, status, message = (told.get(name) for name in ("code", "status", "message"))
    if isinstance(code, str) and isinstance(status, int) and isinstance(message, str):
        return RefusedError(message, code=code, status=status)
    return None
