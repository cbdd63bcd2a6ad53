"""The API of the service, called with the token of a tool's caller."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import httpx
from pydantic import ValidationError

from aeterna_code_search.agents.backend import INVALID, ToolError
from aeterna_code_search.agents.results import names_in
from aeterna_code_search.agents.sidecar.answers import (
    AnswerModel,
    CalleesAnswer,
    CallersAnswer,
    GraphAnswer,
    SearchAnswer,
    StatusAnswer,
)
from indexer.limits import SIDECAR_ANSWER_BYTES
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
