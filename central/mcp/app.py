"""The MCP server of central, as an ASGI application behind the gate: tools and life."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Final

from django.conf import settings
from mcp.server import MCPServer
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.transport_security import TransportSecuritySettings
from sse_starlette.sse import AppStatus

from agents.backend import CENTRAL_HINTS
from agents.event_stream import EventLines
from agents.tools import INSTRUCTIONS, add_tools
from central.common.threads import RequestThreads
from central.mcp.backends import backend
from central.mcp.calls import log_call
from central.mcp.mount import App

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
        add_tools(server, lambda: chosen, hints=CENTRAL_HINTS)
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
