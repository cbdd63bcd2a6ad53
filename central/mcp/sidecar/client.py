"""Calls of a sidecar's tools over MCP, each with its caller's token and under one circuit."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import anyio
import httpx2
import structlog
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    DiscoverResult,
    TextContent,
)

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.results import error_in
from central.circuit import Circuit, CircuitOpenError
from central.mcp.sidecar.errors import (
    CallLog,
    LimitedTransport,
    SidecarFailedError,
    circuit_open,
    map_sidecar_errors,
    refused_by_tool,
    unreadable,
)
from central.observability.metrics import SIDECAR_CALLS, SIDECAR_IS_AWAY

_FAILURES: Final = 5
_PAUSE_SECONDS: Final = 5.0
_LEGACY: Final = "legacy"  # the SDK's name for the revisions that begin with `initialize`

Answer = dict[str, Any]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Dialect:
    """The sidecar's protocol revision, remembered so that later calls are one request each."""

    mode: str = "auto"
    discovered: DiscoverResult | None = None


class Sidecar:
    """The sidecar at `url` (its /mcp). One per process and event loop; `close` it at the end."""

    def __init__(
        self, url: str, *, timeout_seconds: float, pause_seconds: float = _PAUSE_SECONDS
    ) -> None:
        self._url = url
        self._timeout_seconds = timeout_seconds
        self._circuit = Circuit(
            threshold=_FAILURES, pause_seconds=pause_seconds, changed=self._log_change
        )
        self._pool = LimitedTransport()
        self._dialect = _Dialect()

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()

    async def call(
        self, tool: str, arguments: Mapping[str, Any], *, token: str, read: Callable[[Any], Answer]
    ) -> Answer:
        """Call a tool with `token` and return its answer as parsed by `read`.

        An answer that `read` cannot parse counts as a failure. Raises ToolError.
        """
        try:
            with self._circuit.guard(SidecarFailedError):
                result = await self._attempt(tool, arguments, token)
                answer = {} if result.is_error else _read(result, read)
            if result.is_error:
                raise _without(token, error_in(result) or refused_by_tool(_text(result)))
        except CircuitOpenError as exc:
            SIDECAR_CALLS.labels("not_asked").inc()
            raise circuit_open(exc.retry_seconds) from exc
        except ToolError as exc:
            SIDECAR_CALLS.labels(
                "failed" if isinstance(exc, SidecarFailedError) else "refused"
            ).inc()
            raise
        SIDECAR_CALLS.labels("answered").inc()
        return answer

    async def _attempt(self, tool: str, arguments: Mapping[str, Any], token: str) -> CallToolResult:
        call_log = CallLog()
        request = CallToolRequest(
            params=CallToolRequestParams(name=tool, arguments=dict(arguments))
        )
        try:
            with (
                map_sidecar_errors(call_log, self._timeout_seconds),
                anyio.fail_after(self._timeout_seconds),
            ):
                async with self._client(token, call_log) as client:
                    self._dialect = _dialect_of(client)
                    # Not `call_tool`: it would list the tools to know their output schemas.
                    return await client.session.send_request(request, CallToolResult)
        except ToolError as exc:
            if exc.status == HTTPStatus.BAD_GATEWAY:  # it may be another sidecar than before
                self._dialect = _Dialect()
            _log.warning(
                "sidecar_call_failed",
                code=exc.code,
                http_status=call_log.status,
                cause=call_log.cause,
            )
            raise

    def _client(self, token: str, call_log: CallLog) -> Client:
        http = httpx2.AsyncClient(
            transport=self._pool,
            headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"},
            timeout=None,  # the whole call has one
            event_hooks={"response": [call_log.note]},
        )
        return Client(
            streamable_http_client(self._url, http_client=http),
            mode=self._dialect.mode,
            prior_discover=self._dialect.discovered,
            cache=None,
        )

    def _log_change(self, is_open: bool) -> None:
        SIDECAR_IS_AWAY.set(is_open)
        if is_open:
            _log.error("sidecar_circuit_open", url=self._url, after_failures=_FAILURES)
        else:
            _log.info("sidecar_recovered", url=self._url)


def _dialect_of(client: Client) -> _Dialect:
    discovered = client.session.discover_result
    return _Dialect(client.protocol_version, discovered) if discovered else _Dialect(_LEGACY)


def _without(token: str, refusal: ToolError) -> ToolError:
    """Return the error without the token, which a sidecar's message may repeat."""
    message, *near = (text.replace(token, "[token]") for text in (refusal.message, *refusal.near))
    return ToolError(message, code=refusal.code, status=refusal.status, near=near)


def _read(result: CallToolResult, read: Callable[[Any], Answer]) -> Answer:
    try:
        return read(_content(result))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as exc:
        _log.warning("sidecar_answer_unreadable", cause=type(exc).__name__)
        raise unreadable() from exc


def _content(result: CallToolResult) -> Any:
    """Return structured content, else the text's JSON; a list may be wrapped in `result`."""
    told: Any = result.structured_content
    if told is None:
        told = json.loads(_text(result))
    if isinstance(told, dict) and told.keys() == {"result"}:
        told = told["result"]
    return told


def _text(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))
