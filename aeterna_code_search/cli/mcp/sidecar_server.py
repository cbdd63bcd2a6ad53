"""The sidecar over HTTP: MCP at /mcp for callers with a token, /livez and /readyz for all."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from http import HTTPStatus
from importlib.metadata import version
from typing import Final

import httpx
import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.event_stream import EventLines
from aeterna_code_search.agents.sidecar.tools import INSTRUCTIONS, add_sidecar_tools
from aeterna_code_search.cli.mcp.sidecar_backend import ForwardingBackend, open_connections
from central.runtime.listening import url_host
from indexer.output.github import log_to_standard_error

PATH: Final = "/mcp"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_READY_SECONDS: Final = 3.0
_SHUTDOWN_SECONDS: Final = 10


def serve(
    listeners: list[socket.socket],
    *,
    service_url: str,
    organization: str | None,
    hosts: Sequence[str],
) -> None:
    """Serve at `listeners` until SIGTERM or SIGINT, then exit with 0.

    Running calls are finished first. `hosts`: host names that callers may use besides those of the
    loopback interface.
    """
    # Before the SDK does: its handler takes seconds to format interrupted calls.
    log_to_standard_error()
    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).setLevel(logging.WARNING)
    AppStatus.enable_automatic_graceful_drain = False  # it cuts streams at the first signal
    # uvicorn raises the signal again after its shutdown; SystemExit lets the context managers end.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    asyncio.run(_serve(listeners, service_url, organization, hosts))


async def _serve(
    listeners: list[socket.socket], service_url: str, organization: str | None, hosts: Sequence[str]
) -> None:
    async with open_connections(service_url) as connections:
        application = sidecar_application(connections, organization=organization, hosts=hosts)
        config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        await uvicorn.Server(config).serve(sockets=listeners)


def sidecar_application(
    connections: httpx.AsyncClient, *, organization: str | None, hosts: Sequence[str]
) -> Starlette:
    """Build the ASGI application over `connections` to the service."""
    server = MCPServer(
        "codesearch",
        title="Aeterna Code Search",
        instructions=INSTRUCTIONS,
        version=version("aeterna-code-search"),
        token_verifier=_AnyToken(),
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(str(connections.base_url)), resource_server_url=None
        ),
    )
    add_sidecar_tools(server, _caller_backend(connections, organization))

    application = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,  # so that callers share no session
        transport_security=_security(hosts),
    )

    async def readyz(_request: Request) -> Response:
        return await _readiness(connections)

    application.add_middleware(EventLines)
    application.router.routes.extend([Route("/livez", _livez), Route("/readyz", readyz)])
    return application


class _AnyToken:
    """A verifier that accepts every well-formed token; the service checks it at each call."""

    async def verify_token(self, token: str) -> AccessToken | None:
        if not (token.isascii() and token.isprintable()) or token.split() != [token]:
            return None
        return AccessToken(token=token, client_id="caller", scopes=[])


def _caller_backend(
    connections: httpx.AsyncClient, organization: str | None
) -> Callable[[], ForwardingBackend]:
    def backend() -> ForwardingBackend:
        access = get_access_token()
        if access is None:  # unreachable: the middleware requires a token
            raise ToolError(
                "Send 'Authorization: Bearer <api token>'.",
                code="unauthenticated",
                status=HTTPStatus.UNAUTHORIZED,
            )
        return ForwardingBackend(connections, token=access.token, organization=organization)

    return backend


async def _livez(_request: Request) -> Response:
    return JSONResponse({"status": "live"})


async def _readiness(connections: httpx.AsyncClient) -> Response:
    try:
        async with connections.stream("GET", "/readyz", timeout=_READY_SECONDS) as answer:
            is_ready = answer.is_success  # the body is not read
    except httpx.RequestError:
        is_ready = False
    return JSONResponse(
        {"status": "ready" if is_ready else "unavailable"},
        status_code=HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE,
        headers={"Cache-Control": "no-store"},
    )


def _security(hosts: Sequence[str]) -> TransportSecuritySettings:
    """Allow only known host names and origins, against DNS rebinding."""
    names = [form for host in (*_LOOPBACK, *map(url_host, hosts)) for form in (host, f"{host}:*")]
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    return TransportSecuritySettings(allowed_hosts=names, allowed_origins=origins)
