"""Calls of a sidecar's tools over MCP, each with its caller's token and under one circuit."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from typing import Any, Final

import anyio
import httpx2
import structlog
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    DiscoverResult,
    TextContent,
)
from pydantic import ValidationError

from agents.errors import RefusedError
from agents.outcomes import refusal_in
from central.common.metrics import SIDECAR_CALLS, SIDECAR_IS_AWAY
from central.mcp.circuit import Circuit, CircuitOpenError

_FAILURES: Final = 5
_PAUSE_SECONDS: Final = 5.0
_REFUSALS: Final = {INVALID_PARAMS, METHOD_NOT_FOUND}
_LATER: Final = "Try again later; if it lasts, tell who runs this service: its log says more."
_OPERATOR: Final = (
    "Who runs this service should check CODESEARCH_SIDECAR_URL, the sidecar's allowed hosts and "
    "its version."
)
_TEXT_CHARACTERS: Final = 2_000
_LEGACY: Final = "legacy"  # the SDK's name for the revisions that begin with `initialize`

Answer = dict[str, Any]

_log = structlog.get_logger(__name__)


class SidecarFailedError(RefusedError):
    """The sidecar did not answer, or with nonsense; five in a row open the circuit."""


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What the sidecar speaks, as far as it is known: so later calls are one request each."""

    mode: str = "auto"
    discovered: DiscoverResult | None = None


@dataclass(slots=True)
class _Seen:
    """The last HTTP status of a call: the SDK's errors do not tell it."""

    status: int = 0

    async def note(self, response: httpx2.Response) -> None:
        self.status = response.status_code


class Sidecar:
    """The sidecar at `url` (its /mcp). One per process, and event loop; `close` it at the end."""

    def __init__(
        self, url: str, *, timeout_seconds: float, pause_seconds: float = _PAUSE_SECONDS
    ) -> None:
        self._url = url
        self._timeout_seconds = timeout_seconds
        self._circuit = Circuit(
            threshold=_FAILURES, pause_seconds=pause_seconds, changed=self._tell_change
        )
        self._pool = httpx2.AsyncHTTPTransport()
        self._dialect = _Dialect()

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()

    async def call(
        self, tool: str, arguments: Mapping[str, Any], *, token: str, read: Callable[[Any], Answer]
    ) -> Answer:
        """What `read` makes of the tool's answer to the holder of `token`.

        An answer that `read` cannot read is the sidecar's failure. Raises RefusedError.
        """
        try:
            with self._circuit.attempt(SidecarFailedError):
                result = await self._attempt(tool, arguments, token)
                answer = {} if result.is_error else _read(result, read)
            if result.is_error:
                raise refusal_in(result) or _tool_error(result)
        except CircuitOpenError as exc:
            SIDECAR_CALLS.labels("not_asked").inc()
            raise _away(exc.retry_seconds) from exc
        except RefusedError as exc:
            SIDECAR_CALLS.labels(
                "failed" if isinstance(exc, SidecarFailedError) else "refused"
            ).inc()
            raise
        SIDECAR_CALLS.labels("answered").inc()
        return answer

    async def _attempt(self, tool: str, arguments: Mapping[str, Any], token: str) -> CallToolResult:
        seen = _Seen()
        request = CallToolRequest(
            params=CallToolRequestParams(name=tool, arguments=dict(arguments))
        )
        try:
            with _refusals(seen, self._timeout_seconds), anyio.fail_after(self._timeout_seconds):
                async with self._client(token, seen) as client:
                    self._dialect = _dialect_of(client)
                    # Not `call_tool`: it would list the tools to know their output schemas.
                    return await client.session.send_request(request, CallToolResult)
        except RefusedError as exc:
            if exc.status == HTTPStatus.BAD_GATEWAY:  # it may be another sidecar than before
                self._dialect = _Dialect()
            _log.warning(
                "sidecar_call_failed",
                code=exc.code,
                http_status=seen.status,
                cause=type(exc.__cause__).__name__,
            )
            raise

    def _client(self, token: str, seen: _Seen) -> Client:
        http = httpx2.AsyncClient(
            transport=self._pool,
            headers={"Authorization": f"Bearer {token}"},
            timeout=None,  # the whole call has one
            event_hooks={"response": [seen.note]},
        )
        return Client(
            streamable_http_client(self._url, http_client=http),
            mode=self._dialect.mode,
            prior_discover=self._dialect.discovered,
            cache=None,
        )

    def _tell_change(self, is_open: bool) -> None:
        SIDECAR_IS_AWAY.set(is_open)
        if is_open:
            _log.error("sidecar_left_alone", url=self._url, after_failures=_FAILURES)
        else:
            _log.info("sidecar_is_back", url=self._url)


def _dialect_of(client: Client) -> _Dialect:
    discovered = client.session.discover_result
    return _Dialect(client.protocol_version, discovered) if discovered else _Dialect(_LEGACY)


@contextmanager
def _refusals(seen: _Seen, timeout_seconds: float) -> Iterator[None]:
    """What goes wrong inside, alone or in the SDK's groups, as the RefusedError that it stands for.

    What is none of these is a fault of ours, and propagates.
    """
    refusal: RefusedError
    try:
        yield
        return
    except* TimeoutError as group:
        cause = _first(group)
        refusal = SidecarFailedError(
            f"The code search sidecar did not answer within {timeout_seconds:g} seconds. Try "
            "again, or ask for less.",
            code="sidecar_timeout",
            status=HTTPStatus.GATEWAY_TIMEOUT,
        )
    except* httpx2.TransportError as group:
        cause = _first(group)
        refusal = SidecarFailedError(
            f"The code search sidecar cannot be reached. {_LATER}",
            code="sidecar_unavailable",
            status=HTTPStatus.SERVICE_UNAVAILABLE,
        )
    except* (MCPError, ValidationError) as group:
        cause = _first(group)
        refusal = _wrong_answer(seen.status, cause)
    raise refusal from cause


def _wrong_answer(http_status: int, error: BaseException) -> RefusedError:
    """What the service refuses comes as a tool's result: this is about the sidecar itself."""
    if http_status == HTTPStatus.UNAUTHORIZED:
        return RefusedError(
            "The code search sidecar takes no such token. Send a valid API token.",
            code="unauthenticated",
            status=HTTPStatus.UNAUTHORIZED,
        )
    is_refusal = isinstance(error, MCPError) and error.code in _REFUSALS
    if is_refusal or 400 <= http_status < 500:
        return RefusedError(
            f"The code search sidecar does not take the call (HTTP {http_status}). {_OPERATOR}",
            code="sidecar_refused",
            status=HTTPStatus.BAD_GATEWAY,
        )
    what = f"failed (HTTP {http_status})" if http_status >= 500 else "did not answer in MCP"
    return SidecarFailedError(
        f"The code search sidecar {what}. {_LATER}",
        code="sidecar_failed",
        status=HTTPStatus.BAD_GATEWAY,
    )


def _read(result: CallToolResult, read: Callable[[Any], Answer]) -> Answer:
    try:
        return read(_content(result))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as exc:
        _log.warning("sidecar_answer_unreadable", cause=type(exc).__name__)
        raise SidecarFailedError(
            f"The code search sidecar gave an answer that cannot be read. {_OPERATOR}",
            code="sidecar_failed",
            status=HTTPStatus.BAD_GATEWAY,
        ) from exc


def _content(result: CallToolResult) -> Any:
    """Structured content, else the JSON in the text; a list may come as `{"result": […]}`."""
    told: Any = result.structured_content
    if told is None:
        told = json.loads(_text(result))
    if isinstance(told, dict) and told.keys() == {"result"}:
        told = told["result"]
    return told


def _text(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def _tool_error(result: CallToolResult) -> RefusedError:
    """The error of a sidecar that gives no code."""
    text = _text(result)[:_TEXT_CHARACTERS] or "no reason given"
    return RefusedError(
        f"The code search sidecar refused: {text}",
        code="sidecar_refused",
        status=HTTPStatus.BAD_GATEWAY,
    )


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _away(retry_seconds: float) -> RefusedError:
    return RefusedError(
        "The code search sidecar is away; it failed several times in a row and is not asked "
        f"for now. Try again in {max(ceil(retry_seconds), 1)} seconds.",
        code="sidecar_unavailable",
        status=HTTPStatus.SERVICE_UNAVAILABLE,
    )
