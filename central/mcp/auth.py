"""Who may reach the tools: the hosts and origins that are ours, with a token that may search."""

import asyncio
from contextvars import ContextVar
from io import BytesIO
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from starlette.datastructures import Headers, MutableHeaders

from central.errors import (
    ForbiddenError,
    InvalidError,
    TooLargeError,
    UnauthenticatedError,
    UnavailableError,
)
from central.http.asgi import RequestThreads, check_declared, receive_body
from central.http.bodies import refuse_many_values
from central.http.middleware import harden
from central.http.problems import problem, response_to
from central.http.turns import caller_of, current
from central.mcp.lazy_app import PATH, App, Message, Receive, Send
from central.observability.requests import request_told
from central.tenancy.authentication import count_request
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.tokens import credential_of, invalid_token

_CREDENTIAL_SECONDS = 10.0  # for a thread and for the look-up of a token

_credential: ContextVar[Credential] = ContextVar("mcp_credential")
_token: ContextVar[str] = ContextVar("mcp_token")


def caller() -> Credential:
    """The credential of the request that is being answered."""
    return _credential.get()


def callers_token() -> str:
    """The token with which it came."""
    return _token.get()


class Gate:
    """An ASGI application before the SDK's: nothing of a stranger's request is read.

    It needs nothing of the SDK, which is imported for callers with a token only.

    In place of the SDK's own, which takes no wildcard hosts, says "Authentication required" of a
    token that was revoked, and wants the address of an OAuth server, of which there is none.
    """

    def __init__(self, application: App, threads: RequestThreads) -> None:
        self._application = application
        self._threads = threads

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let the request in as its credential's, or answer with a problem document."""
        headers = Headers(scope=scope)
        address, *_ = scope.get("client") or ("",)
        current.set(caller_of(headers.get("authorization"), address))
        with request_told(method=scope["method"], path=PATH, headers=headers) as answered:
            answered.route = "mcp"

            async def named(message: Message) -> None:
                if message["type"] == "http.response.start":
                    answered.status = message["status"]
                    told = MutableHeaders(raw=list(message.get("headers", ())))
                    told["X-Request-Id"] = answered.request_id
                    # Where https is enforced, what came in the clear was refused.
                    harden(told, is_secure=settings.SECURE_SSL_REDIRECT)
                    message["headers"] = told.raw
                await send(message)

            await self._answer(scope, headers, receive, named)

    async def _answer(self, scope: Message, headers: Headers, receive: Receive, send: Send) -> None:
        refusal = (
            refused_address(headers)
            or refused_scheme(scope.get("scheme", "http"), headers)
            or refused_method(scope["method"])
        )
        if refusal is None:
            refusal = await self._enter(headers)
        if refusal is not None:
            await _respond(refusal, send)
            return
        with BytesIO() as body:
            try:
                check_declared(dict(scope["headers"]), settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
                await receive_body(receive, body, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
                received = body.getvalue()
                refuse_many_values(received)
            except RequestAborted:  # the SDK would take it for a fault
                return
            except (InvalidError, TooLargeError) as exc:
                status = 413 if isinstance(exc, TooLargeError) else 400
                refused = problem(_request(), status=status, code=exc.code, detail=exc.message)
                await _respond(refused, send)
                return
        await self._application(scope, _again(received, receive), send)

    async def _enter(self, headers: Headers) -> HttpResponse | None:
        """Make the request its credential's; the refusal if that may not search."""
        try:
            token = bearer_token(headers.getlist("authorization"))
            credential = await self._credential_of(token)
        except Exception as exc:
            response = response_to(_request(), exc)
            if response is None:
                raise
            if challenge := _challenge(exc):
                response["WWW-Authenticate"] = challenge
            return response
        _credential.set(credential)
        _token.set(token)
        structlog.contextvars.bind_contextvars(organization=credential.organization.slug)
        return None

    async def _credential_of(self, token: str) -> Credential:
        try:
            async with asyncio.timeout(_CREDENTIAL_SECONDS):
                return await self._threads.query(lambda: _admitted(token))
        except TimeoutError as exc:
            raise UnavailableError(
                "This service is busy: the token could not be looked up in time. Try again shortly."
            ) from exc


def _admitted(token: str) -> Credential:
    """Its credential, which may search and has not asked too much."""
    credential = credential_of(token)
    credential.require_scope(Scope.SEARCH)
    count_request(caller=f"token {credential.api_token_id}", scope=Scope.SEARCH)
    return credential


def refused_address(headers: Headers) -> HttpResponse | None:
    """421 or 403 where the host or the origin is none of ours: a page elsewhere, DNS rebinding."""
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or not _is_ours(split_domain_port(hosts[0])[0]):
        detail = "This service is not known by that name; add it to AETERNA_ALLOWED_HOSTS."
        return problem(_request(), status=421, code="unknown_host", detail=detail)
    if len(origins) > 1 or not all(_is_ours(_host_of(origin)) for origin in origins):
        detail = "Pages of that origin may not ask; add its host to AETERNA_ALLOWED_HOSTS."
        return problem(_request(), status=403, code="unknown_origin", detail=detail)
    return None


def _is_ours(host: str) -> bool:
    return bool(host) and validate_host(host, settings.ALLOWED_HOSTS)


def _host_of(origin: str) -> str:
    """The host of an origin of the web, as ALLOWED_HOSTS writes it; "" of anything else."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return split_domain_port(parts.netloc)[0] if parts.scheme in {"http", "https"} else ""


def refused_scheme(scheme: str, headers: Headers) -> HttpResponse | None:
    """403 for what came in the clear, where the API redirects to https.

    A client that followed a redirect would go on sending its token in the clear first.
    """
    if not settings.SECURE_SSL_REDIRECT:
        return None
    if settings.SECURE_PROXY_SSL_HEADER:
        name, secure = settings.SECURE_PROXY_SSL_HEADER
        told = headers.get(name.removeprefix("HTTP_").replace("_", "-"), "")
        is_secure = told.split(",")[0].strip() == secure
    else:
        is_secure = scheme == "https"
    if is_secure:
        return None
    detail = "Use https: what is sent in the clear, the token too, others can read."
    return problem(_request(), status=403, code="https_required", detail=detail)


def refused_method(method: str) -> HttpResponse | None:
    """405 but for POST: there are no sessions, so nothing to listen to (GET) or to end (DELETE)."""
    if method == "POST":
        return None
    response = problem(
        _request(), status=405, code="method_not_allowed", detail="Send MCP messages by POST."
    )
    response["Allow"] = "POST"
    return response


def bearer_token(authorization: list[str]) -> str:
    """The token of the one Authorization header. Raises UnauthenticatedError.

    Of several, a proxy may have looked at another one.
    """
    if not authorization:
        raise UnauthenticatedError("Send 'Authorization: Bearer <api token>'.")
    scheme, _, token = authorization[0].partition(" ")
    if scheme.lower() != "bearer" or len(authorization) > 1:
        raise invalid_token()
    return token


def _challenge(exc: Exception) -> str | None:
    """WWW-Authenticate as RFC 6750, section 3 has it, or None for what no other token would mend.

    Without `resource_metadata`: that document must name an authorization server, and there is none.
    """
    if isinstance(exc, ForbiddenError):
        error = "insufficient_scope"
    elif not isinstance(exc, UnauthenticatedError):
        return None
    elif exc.code == UnauthenticatedError.code:  # no token came: no error either
        error = ""
    else:
        error = "invalid_token"
    told = f', error="{error}", error_description="{exc.message}"' if error else ""
    return f'Bearer realm="aeterna", scope="{Scope.SEARCH}"{told}'


def _request() -> HttpRequest:
    """What a problem document is about."""
    request = HttpRequest()
    request.path = PATH
    return request


def _again(body: bytes, receive: Receive) -> Receive:
    """`receive` as it was before `body` was received."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again


async def _respond(response: HttpResponse, send: Send) -> None:
    response["Content-Length"] = str(len(response.content))
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    start: Message = {
        "type": "http.response.start",
        "status": response.status_code,
        "headers": headers,
    }
    await send(start)
    await send({"type": "http.response.body", "body": response.content})
