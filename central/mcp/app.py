"""The MCP application: its tools, and a log line for each call."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

import structlog
from django.conf import settings
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_PARAMS, CallToolResult
from pydantic import ValidationError
from sse_starlette.sse import AppStatus

from aeterna_code_search.agents.backend import CENTRAL_HINTS, INVALID, ServiceBackend
from aeterna_code_search.agents.event_stream import EventLines
from aeterna_code_search.agents.requests import is_structured
from aeterna_code_search.agents.results import ERROR_KEY, error_in
from aeterna_code_search.agents.tools import INSTRUCTIONS, add_tools
from central.http.asgi import RequestThreads
from central.mcp.lazy_app import App
from central.mcp.service_backend import ServicesBackend

STRUCTURED_HEADER: Final = "Codesearch-Structured"

_log = structlog.get_logger(__name__)


async def log_call(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Log one line for a tool call (SDK middleware). The services log their queries."""
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


def wants_structure(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Return whether the request's header asks for structured content. Raises ToolError."""
    headers = ctx.request.headers if ctx.request else {}
    return is_structured(headers.get(STRUCTURED_HEADER, ""), STRUCTURED_HEADER)


@asynccontextmanager
async def backend(threads: RequestThreads) -> AsyncIterator[ServiceBackend]:
    """The backend for the life of the process; it asks as the caller of each request."""
    if not settings.CODESEARCH_SIDECAR_URL:
        yield ServicesBackend(threads)
        return
    from central.mcp.sidecar.backend import sidecar_backend

    async with sidecar_backend(
        settings.CODESEARCH_SIDECAR_URL,
        timeout_seconds=settings.CODESEARCH_SIDECAR_SECONDS,
        threads=threads,
    ) as through_sidecar:
        yield through_sidecar


# What is listed is the same for everybody and changes with a release.
_LISTS: Final[tuple[CacheableMethod, ...]] = (
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
)
_LISTED: Final = CacheHint(ttl_ms=3_600_000, scope="public")


@asynccontextmanager
async def mcp_application(threads: RequestThreads) -> AsyncIterator[App]:
    """The application while it runs. No state between requests: any process answers any of them."""
    server = MCPServer(
        "aeterna-code-search",
        title="Aeterna Code Search",
        instructions=INSTRUCTIONS,
        version=version("aeterna-code-search"),
        cache_hints=dict.fromkeys(_LISTS, _LISTED),
        middleware=[log_call],
        subscriptions=False,
    )
    async with backend(threads) as chosen:
        add_tools(server, lambda: chosen, hints=CENTRAL_HINTS, wants_structure=wants_structure)
        application = server.streamable_http_app(
            stateless_http=True,
            max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        AppStatus.enable_automatic_graceful_drain = (
            False  # calls are finished before the process ends
        )
        async with server.session_manager.run():
            yield EventLines(application)
