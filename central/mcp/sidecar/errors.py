"""Failures of the sidecar, and the bound on its answers."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from typing import Final, cast

import httpx2
from mcp import MCPError
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND
from pydantic import ValidationError

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.results import SERVER_MESSAGE_CHARACTERS
from indexer.limits import SIDECAR_ANSWER_BYTES


class AnswerTooLongError(Exception):
    """The answer is longer than the limit, or compressed to an unknown length."""


class LimitedTransport(httpx2.AsyncHTTPTransport):
    """A transport that aborts answers at the limit; send `Accept-Encoding: identity`."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response; reading it may raise AnswerTooLongError."""
        response = await super().handle_async_request(request)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise AnswerTooLongError
        response.stream = _Limited(cast("httpx2.AsyncByteStream", response.stream))
        return response


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > SIDECAR_ANSWER_BYTES:
                raise AnswerTooLongError
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


_REFUSALS: Final = {INVALID_PARAMS, METHOD_NOT_FOUND}
_LATER: Final = "Try again later; if it lasts, tell who runs this service: its log says more."
_OPERATOR: Final = (
    "Who runs this service should check CODESEARCH_SIDECAR_URL, the sidecar's allowed hosts and "
    "its version."
)


class SidecarFailedError(ToolError):
    """The sidecar did not answer, or with nonsense; five in a row open the circuit."""


@dataclass(slots=True)
class CallLog:
    """Status and cause of a failed call for the log: the SDK's errors have no HTTP status."""

    status: int = 0
    cause: str = ""

    async def note(self, response: httpx2.Response) -> None:
        """Record the status (event hook of the HTTP client)."""
        self.status = response.status_code


@contextmanager
def map_sidecar_errors(call_log: CallLog, timeout_seconds: float) -> Iterator[None]:
    """Translate failures, also in the SDK's exception groups, to ToolError.

    Any other exception is a bug and propagates.
    """
    refusal: ToolError
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
    except* AnswerTooLongError as group:
        cause = _first(group)
        refusal = SidecarFailedError(
            "The code search sidecar gave an answer that is too long, or compressed. Ask for less.",
            code="sidecar_failed",
            status=HTTPStatus.BAD_GATEWAY,
        )
    except* httpx2.RequestError as group:
        cause = _first(group)
        refusal = SidecarFailedError(
            f"The code search sidecar cannot be reached. {_LATER}",
            code="sidecar_unavailable",
            status=HTTPStatus.SERVICE_UNAVAILABLE,
        )
    except* (MCPError, ValidationError) as group:
        cause = _first(group)
        refusal = _wrong_answer(call_log.status, cause)
    call_log.cause = type(cause).__name__
    raise refusal from None  # the cause may say what the sidecar was sent, the token too


def _wrong_answer(http_status: int, error: BaseException) -> ToolError:
    """Return the error of a sidecar that refuses or fails outside of a tool's result."""
    if http_status == HTTPStatus.UNAUTHORIZED:
        return ToolError(
            "The code search sidecar takes no such token. Send a valid API token.",
            code="unauthenticated",
            status=HTTPStatus.UNAUTHORIZED,
        )
    is_refusal = isinstance(error, MCPError) and error.code in _REFUSALS
    if is_refusal or 400 <= http_status < 500:
        return ToolError(
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


def unreadable() -> SidecarFailedError:
    """Return the error of an answer in an unknown shape."""
    return SidecarFailedError(
        f"The code search sidecar gave an answer that cannot be read. {_OPERATOR}",
        code="sidecar_failed",
        status=HTTPStatus.BAD_GATEWAY,
    )


def refused_by_tool(text: str) -> ToolError:
    """Return the error of a sidecar that gives no code."""
    return ToolError(
        f"The code search sidecar refused: {text[:SERVER_MESSAGE_CHARACTERS] or 'no reason given'}",
        code="sidecar_refused",
        status=HTTPStatus.BAD_GATEWAY,
    )


def circuit_open(retry_seconds: float) -> ToolError:
    """Return the error while the circuit is open."""
    return ToolError(
        "The code search sidecar is unavailable: several calls in a row failed, so it is not "
        f"called for now. Try again in {max(ceil(retry_seconds), 1)} seconds.",
        code="sidecar_unavailable",
        status=HTTPStatus.SERVICE_UNAVAILABLE,
    )


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
