"""The sidecar over HTTP: MCP at /mcp for callers with a token, /livez and /readyz for all.

Each call asks the API of the service with the token of its caller.
"""

import asyncio
import json
import logging
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final

import httpx
import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl, ValidationError
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from aeterna_code_search.agents.backend import INVALID, ToolError
from aeterna_code_search.agents.event_stream import EventLines
from aeterna_code_search.agents.results import names_in
from aeterna_code_search.agents.sidecar.answers import (
    AnswerModel,
    CalleesAnswer,
    CallersAnswer,
    GraphAnswer,
    SearchAnswer,
    StatusAnswer,
)
from aeterna_code_search.agents.sidecar.tools import INSTRUCTIONS, add_sidecar_tools
from central.runtime.listening import url_host
from indexer.limits import SIDECAR_ANSWER_BYTES
from indexer.output.github import log_to_standard_error
from indexer.urls import without_proxy

_TRACES: Final[Mapping[str, type[AnswerModel]]] = {
    "callers": CallersAnswer,
    "callees": CalleesAnswer,
    "graph": GraphAnswer,
}
_TIMEOUT: Final = httpx.Timeout(30.0, connect=3.0)


def open_connections(url: str) -> httpx.AsyncClient:
    """Open connections to the service at `url`; all callers share them, without credentials."""
    return httpx.AsyncClient(
        base_url=url,
        timeout=_TIMEOUT,
        headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        mounts=without_proxy(url),
    )


class ForwardingBackend:
    """A backend that forwards calls to the service with `token`.

    `organization` is the default of calls that name none.
    """

    def __init__(
        self, connections: httpx.AsyncClient, *, token: str, organization: str | None
    ) -> None:
        self._connections = connections
        self._headers = {"Authorization": f"Bearer {token}"}
        self._organization = organization

    async def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Forward a search."""
        request = self._addressed(body)
        return await self._answer(SearchAnswer, "POST", "search", json=request)

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Forward a trace."""
        request = self._addressed(parameters)
        return await self._answer(_TRACES[what], "GET", f"trace/{what}", params=request)

    async def status(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Forward a status request."""
        request = self._addressed(parameters)
        return await self._answer(StatusAnswer, "GET", "index/status", params=request)

    def _addressed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return `values` with the organisation."""
        provided = {name: value for name, value in values.items() if value is not None}
        organization = provided.pop("org_id", self._organization)
        if organization is None:
            raise ToolError(
                "workspace is missing: name the organisation, such as org-acme, or set "
                "AETERNA_ORGANIZATION for the sidecar.",
                code=INVALID,
                status=HTTPStatus.BAD_REQUEST,
            )
        return {"org_id": organization, **provided}

    async def _answer(
        self, model: type[AnswerModel], method: str, route: str, **content: Any
    ) -> dict[str, Any]:
        url = f"/api/v1/{route}"
        try:
            async with self._connections.stream(
                method, url, headers=self._headers, **content
            ) as response:
                body = await _read(response)
        except httpx.TimeoutException as exc:
            raise ToolError(
                f"The code search service did not answer in time ({type(exc).__name__}). Try "
                "again later, or ask for less.",
                code="service_timeout",
                status=HTTPStatus.GATEWAY_TIMEOUT,
            ) from exc
        except httpx.RequestError as exc:
            raise ToolError(
                f"The code search service cannot be reached ({type(exc).__name__}). Try again "
                "later, or check AETERNA_URL of the sidecar.",
                code="service_unavailable",
                status=HTTPStatus.SERVICE_UNAVAILABLE,
            ) from exc
        answer = _object(body)
        if not response.is_success:
            raise _tool_error(response.status_code, answer or {})
        if answer is None or not _matches(model, answer):
            raise _unreadable(response.status_code)
        return answer


async def _read(response: httpx.Response) -> bytes:
    """Read the body, which is not compressed."""
    body = bytearray()
    async for part in response.aiter_raw():
        body += part
        if len(body) > SIDECAR_ANSWER_BYTES:
            raise ToolError(
                "The answer of the code search service is too long. Ask for less.",
                code="service_failed",
                status=HTTPStatus.BAD_GATEWAY,
            )
    return bytes(body)


def _matches(model: type[AnswerModel], answer: dict[str, Any]) -> bool:
    try:
        model.model_validate(answer)
    except ValidationError:
        return False
    return True


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):  # a proxy's page
        return None
    return answer if isinstance(answer, dict) else None


def _tool_error(status: int, problem: Mapping[str, Any]) -> ToolError:
    """Return the ToolError for a problem document (RFC 9457)."""
    if "code" not in problem:
        return _unreadable(status)
    message = str(problem.get("detail") or problem.get("title") or "Refused.")
    near = names_in(problem.get("near"))
    return ToolError(message, code=str(problem["code"]), status=status, near=near)


def _unreadable(status: int) -> ToolError:
    return ToolError(
        f"The answer (HTTP {status}) is not from a code search service. Check AETERNA_URL of the "
        "sidecar.",
        code="service_failed",
        status=HTTPStatus.BAD_GATEWAY,
    )


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
