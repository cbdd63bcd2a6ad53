"""Authentication of MCP requests: allowed host and origin, and a token with the scope `search`."""

import asyncio
from contextvars import ContextVar
from io import BytesIO
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.exceptions import DisallowedHost, RequestAborted
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from starlette.datastructures import Headers, MutableHeaders

from central.errors import ForbiddenError, UnauthenticatedError, UnavailableError
from central.http.asgi import RequestThreads
from central.http.bearer import bearer_token
from central.http.bodies import (
    check_content_length,
    max_body_bytes,
    read_asgi_body,
    refuse_many_values,
)
from central.http.middleware import set_security_headers
from central.http.problems import problem, response_to
from central.http.space import Take
from central.http.turns import caller_of, current
from central.mcp.lazy_app import PATH, App, Message, Receive, Send
from central.mcp.messages import ACCEPTED, refused_message
from central.observability.requests import observe_request
from central.tenancy.authentication import count_request
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.tokens import credential_of

_CREDENTIAL_SECONDS = 10.0  # for a thread and for the look-up of a token

_credential: ContextVar[Credential] = ContextVar("mcp_credential")
_token: ContextVar[str] = ContextVar("mcp_token")


def caller() -> Credential:
    """Return the credential of the current request."""
    return _credential.get()


def current_token() -> str:
    """Return the token of the current request."""
    return _token.get()


class McpAuth:
    """An ASGI application in front of the SDK's: no body is read before authentication.

    The SDK is imported for authenticated callers only. The SDK's own checks take no wildcard
    hosts, do not say that a token was revoked, and require the address of an OAuth server.
    """

    def __init__(self, application: App, threads: RequestThreads) -> None:
        self._application = application
        self._threads = threads

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass an authenticated request on, or answer with a problem document."""
        request = _request_of(scope)
        address, *_ = scope.get("client") or ("",)
        current.set(caller_of(request.headers.get("Authorization"), address))
        with observe_request(
            method=scope["method"], path=PATH, headers=request.headers
        ) as observed:
            observed.route = "mcp"

            async def named(message: Message) -> None:
                if message["type"] == "http.response.start":
                    observed.status = message["status"]
                    answer = MutableHeaders(raw=list(message.get("headers", ())))
                    answer["X-Request-Id"] = observed.request_id
                    set_security_headers(answer, is_secure=request.is_secure())
                    message["headers"] = answer.raw
                await send(message)

            await self._answer(request, scope, receive, named)

    async def _answer(
        self, request: HttpRequest, scope: Message, receive: Receive, send: Send
    ) -> None:
        with self._threads.bodies.of(current.get()) as take:
            await self._answer_with(take, request, scope, receive, send)

    async def _answer_with(
        self, take: Take, request: HttpRequest, scope: Message, receive: Receive, send: Send
    ) -> None:
        try:
            refusal = refused_address(request) or refused_method(request)
            if refusal is None:
                await self._authenticate(request)
                body = await _read_body(request, receive, take)
                refusal = refused_message(Headers(scope=scope), body)
        except RequestAborted:  # the SDK would take it for a fault
            return
        except Exception as exc:
            refusal = _refusal(request, exc)
            if refusal is None:
                raise
        if refusal is None:
            await self._application(_as_sdk_wants(scope), _again(body, receive), send)
        else:
            await _respond(refusal, send)

    async def _authenticate(self, request: HttpRequest) -> None:
        """Set the credential of the request. Raises ServiceError."""
        token = bearer_token(request.headers.get("Authorization"))
        credential = await self._credential_of(token)
        _credential.set(credential)
        _token.set(token)
        structlog.contextvars.bind_contextvars(organization=credential.organization.slug)

    async def _credential_of(self, token: str) -> Credential:
        try:
            async with asyncio.timeout(_CREDENTIAL_SECONDS):
                return await self._threads.query(lambda: _authorized(token))
        except TimeoutError as exc:
            raise UnavailableError(
                "This service is busy: the token could not be looked up in time. Try again shortly."
            ) from exc


def _request_of(scope: Message) -> HttpRequest:
    """Return the request as Django sees it, for its host, scheme and headers.

    Without Content-Type: Django parses it at once, and raises for an unknown charset.
    """
    headers = [(name, value) for name, value in scope["headers"] if name != b"content-type"]
    return ASGIRequest({**scope, "path": PATH, "query_string": b"", "headers": headers}, BytesIO())


def _authorized(token: str) -> Credential:
    """Return the token's credential after checking its scope and rate limit."""
    credential = credential_of(token)
    credential.require_scope(Scope.SEARCH)
    count_request(caller=f"token {credential.api_token_id}", scope=Scope.SEARCH)
    return credential


def refused_address(request: HttpRequest) -> HttpResponse | None:
    """Return the refusal of a foreign host or origin (DNS rebinding), or of plain HTTP.

    Plain HTTP is refused where Django redirects to https: a client that followed a redirect would
    go on sending its token in the clear first.
    """
    if not _has_own_host(request):
        detail = "This service is not known by that name; add it to AETERNA_ALLOWED_HOSTS."
        return problem(request, status=421, code="unknown_host", detail=detail)
    origin = request.headers.get("Origin")
    if origin is not None and not _is_own_origin(origin):
        detail = "Pages of that origin may not ask; add its host to AETERNA_ALLOWED_HOSTS."
        return problem(request, status=403, code="unknown_origin", detail=detail)
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        detail = "Use https: what is sent in the clear, the token too, others can read."
        return problem(request, status=403, code="https_required", detail=detail)
    return None


def _has_own_host(request: HttpRequest) -> bool:
    try:
        return "Host" in request.headers and bool(request.get_host())
    except DisallowedHost:
        return False


def _is_own_origin(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    host, _ = split_domain_port(parts.netloc)
    is_web = parts.scheme in {"http", "https"}
    is_bare = origin == f"{parts.scheme}://{parts.netloc}"  # two headers are joined by a comma
    return is_web and is_bare and bool(host) and validate_host(host, settings.ALLOWED_HOSTS)


def refused_method(request: HttpRequest) -> HttpResponse | None:
    """Return 405 but for POST: without sessions, GET has no events and DELETE nothing to end."""
    if request.method == "POST":
        return None
    detail = "Send MCP messages by POST."
    response = problem(request, status=405, code="method_not_allowed", detail=detail)
    response["Allow"] = "POST"
    return response


async def _read_body(request: HttpRequest, receive: Receive, take: Take) -> bytes:
    """Return the whole body. Raises ServiceError, RequestAborted."""
    limit = max_body_bytes(PATH)
    check_content_length(request.META.get("CONTENT_LENGTH", ""), limit)
    with BytesIO() as body:
        await read_asgi_body(receive, body, limit, take)
        received = body.getvalue()
    refuse_many_values(received)
    return received


def _refusal(request: HttpRequest, exc: Exception) -> HttpResponse | None:
    """Return the problem document for `exc`; None if it is unexpected."""
    response = response_to(request, exc)
    if response is not None and (challenge := _challenge(exc)):
        response["WWW-Authenticate"] = challenge
    return response


def _challenge(exc: Exception) -> str | None:
    """Return WWW-Authenticate (RFC 6750, section 3); None if another token would not help.

    It has no `resource_metadata`, which would have to name an authorization server.
    """
    if isinstance(exc, ForbiddenError):
        error = "insufficient_scope"
    elif not isinstance(exc, UnauthenticatedError):
        return None
    elif exc.code == UnauthenticatedError.code:  # no token came: no error either
        error = ""
    else:
        error = "invalid_token"
    parameters = f', error="{error}", error_description="{exc.message}"' if error else ""
    return f'Bearer realm="aeterna", scope="{Scope.SEARCH}"{parameters}'


def _as_sdk_wants(scope: Message) -> Message:
    """Return the scope with the one path and the Accept that the SDK knows."""
    headers = MutableHeaders(raw=list(scope["headers"]))
    headers["Accept"] = ACCEPTED
    return {**scope, "path": PATH, "raw_path": PATH.encode(), "headers": headers.raw}


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that delivers `body` again."""
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
