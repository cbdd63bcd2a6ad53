"""One line in the log for each call of a tool: which, how long, what came of it."""

import time
from typing import Any

import structlog
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import INVALID_PARAMS, CallToolResult
from pydantic import ValidationError

from agents.backend import INVALID
from agents.results import ERROR_KEY, error_in

_log = structlog.get_logger(__name__)


async def log_call(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware of the SDK. What was asked is not logged here; the services log what they do."""
    if ctx.method != "tools/call":
        return await call_next(ctx)
    started = time.perf_counter()
    outcome = "cancelled"
    try:
        result = await call_next(ctx)
        outcome = _outcome(result)
    except Exception as exc:
        is_malformed = isinstance(exc, ValidationError) or (
            isinstance(exc, MCPError) and exc.code == INVALID_PARAMS
        )
        outcome = INVALID if is_malformed else "failed"
        raise
    finally:
        tool = str((ctx.params or {}).get("name"))[:100]
        took_ms = round(1000 * (time.perf_counter() - started), 1)
        _log.info("tool_call", tool=tool, took_ms=took_ms, outcome=outcome)
    return result


def _outcome(result: HandlerResult) -> str:
    """`ok`, or the code of the refusal; what a tool answered is on its way to the wire already."""
    if isinstance(result, CallToolResult):
        refusal = error_in(result)
        return refusal.code if refusal else "ok"
    if not isinstance(result, dict) or not result.get("isError"):
        return "ok"
    return str(result.get("_meta", {}).get(ERROR_KEY, {}).get("code", "failed"))
