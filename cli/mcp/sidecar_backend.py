"""The service's API as the caller of a tool may use it: with the caller's token, never another."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import httpx
from pydantic import ValidationError

from agents.backend import INVALID, ToolError
from agents.results import names_in
from agents.schemas import AnswerModel, SearchAnswer, StatusAnswer
from agents.trace.schemas import CalleesAnswer, CallersAnswer, GraphAnswer
from indexer.limits import SIDECAR_ANSWER_BYTES
from indexer.urls import without_proxy

_TRACES: Final[Mapping[str, type[AnswerModel]]] = {
    "callers": CallersAnswer,
    "callees": CalleesAnswer,
    "graph": GraphAnswer,
}
_TIMEOUT: Final = httpx.Timeout(30.0, connect=3.0)


def open_connections(url: str) -> httpx.AsyncClient:
    """Connections to the service at `url`, for all callers; they hold no credential."""
    return httpx.AsyncClient(
        base_url=url,
        timeout=_TIMEOUT,
        headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        mounts=without_proxy(url),
    )


class ForwardingBackend:
    """The service as the holder of `token` sees it.

    `organization` is asked for where a call names none.
    """

    def __init__(
        self, connections: httpx.AsyncClient, *, token: str, organization: str | None
    ) -> None:
        self._connections = connections
        self._headers = {"Authorization": f"Bearer {token}"}
        self._organization = organization

    async def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Search."""
        asked = self._addressed(body)
        return await self._answer(SearchAnswer, "POST", "search", json=asked)

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Trace."""
        asked = self._addressed(parameters)
        return await self._answer(_TRACES[what], "GET", f"trace/{what}", params=asked)

    async def status(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What is indexed."""
        asked = self._addressed(parameters)
        return await self._answer(StatusAnswer, "GET", "index/status", params=asked)

    def _addressed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values` with the organisation that is asked."""
        given = {name: value for name, value in values.items() if value is not None}
        organization = given.pop("org_id", self._organization)
        if organization is None:
            raise ToolError(
                "workspace: name the organisation, such as org-acme. Where AETERNA_ORGANIZATION is "
                "set for the sidecar, it may be left out.",
                code=INVALID,
                status=HTTPStatus.BAD_REQUEST,
            )
        return {"org_id": organization, **given}

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
                "later; its operator sees why in AETERNA_URL of the sidecar.",
                code="service_unavailable",
                status=HTTPStatus.SERVICE_UNAVAILABLE,
            ) from exc
        answer = _object(body)
        if not response.is_success:
            raise _refusal(response.status_code, answer or {})
        if answer is None or not _is_of(model, answer):
            raise _unreadable(response.status_code)
        return answer


async def _read(response: httpx.Response) -> bytes:
    """The body as it was sent; it was asked for uncompressed."""
    body = bytearray()
    async for part in response.aiter_raw():
        body += part
        if len(body) > SIDECAR_ANSWER_BYTES:
            raise ToolError(
                "The code search service gave an answer that is too long. Ask for less.",
                code="service_failed",
                status=HTTPStatus.BAD_GATEWAY,
            )
    return bytes(body)


def _is_of(model: type[AnswerModel], answer: dict[str, Any]) -> bool:
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


def _refusal(status: int, problem: Mapping[str, Any]) -> ToolError:
    """A problem document (RFC 9457) as the error that it stands for."""
    if "code" not in problem:
        return _unreadable(status)
    message = str(problem.get("detail") or problem.get("title") or "Refused.")
    near = names_in(problem.get("near"))
    return ToolError(message, code=str(problem["code"]), status=status, near=near)


def _unreadable(status: int) -> ToolError:
    return ToolError(
        f"What answered (HTTP {status}) is not the code search service. Its operator should check "
        "AETERNA_URL of the sidecar.",
        code="service_failed",
        status=HTTPStatus.BAD_GATEWAY,
    )
