"""The service's API as the caller of a tool may use it: with the caller's token, never another."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import httpx

from agents.errors import INVALID, RefusedError
from agents.outcomes import names_in
from indexer.proxies import direct

_TIMEOUT: Final = httpx.Timeout(30.0, connect=3.0)


def open_connections(url: str) -> httpx.AsyncClient:
    """Connections to the service at `url`, for all callers; they hold no credential."""
    return httpx.AsyncClient(
        base_url=url,
        timeout=_TIMEOUT,
        headers={"Accept": "application/json"},
        mounts=direct(url),
    )


class CallerBackend:
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
        return await self._answer("POST", "search", json=self._addressed(body))

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Trace."""
        route = f"trace/{quote(what, safe='')}"
        return await self._answer("GET", route, params=self._addressed(parameters))

    async def status(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What is indexed."""
        return await self._answer("GET", "index/status", params=self._addressed(parameters))

    def _addressed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values` with the organisation that is asked."""
        given = {name: value for name, value in values.items() if value is not None}
        organization = given.pop("org_id", self._organization)
        if organization is None:
            raise RefusedError(
                "workspace: name the organisation, such as org-acme. Where AETERNA_ORGANIZATION is "
                "set for the sidecar, it may be left out.",
                code=INVALID,
                status=HTTPStatus.BAD_REQUEST,
            )
        return {"org_id": organization, **given}

    async def _answer(self, method: str, route: str, **content: Any) -> dict[str, Any]:
        try:
            response = await self._connections.request(
                method, f"/api/v1/{route}", headers=self._headers, **content
            )
        except httpx.TimeoutException as exc:
            raise RefusedError(
                f"The code search service did not answer in time ({type(exc).__name__}). Try "
                "again later, or ask for less.",
                code="service_timeout",
                status=HTTPStatus.GATEWAY_TIMEOUT,
            ) from exc
        except httpx.RequestError as exc:
            raise RefusedError(
                f"The code search service cannot be reached ({type(exc).__name__}). Try again "
                "later; its operator sees why in AETERNA_URL of the sidecar.",
                code="service_unavailable",
                status=HTTPStatus.SERVICE_UNAVAILABLE,
            ) from exc
        answer = _object(response)
        if not response.is_success:
            raise _refusal(response.status_code, answer or {})
        if answer is None:
            raise _unreadable(response.status_code)
        return answer


def _object(response: httpx.Response) -> dict[str, Any] | None:
    try:
        answer = response.json()
    except (ValueError, RecursionError):  # a proxy's page
        return None
    return answer if isinstance(answer, dict) else None


def _refusal(status: int, problem: Mapping[str, Any]) -> RefusedError:
    """A problem document (RFC 9457) as the error that it stands for."""
    if "code" not in problem:
        return _unreadable(status)
    message = str(problem.get("detail") or problem.get("title") or "Refused.")
    near = names_in(problem.get("near"))
    return RefusedError(message, code=str(problem["code"]), status=status, near=near)


def _unreadable(status: int) -> RefusedError:
    return RefusedError(
        f"What answered (HTTP {status}) is not the code search service. Its operator should check "
        "AETERNA_URL of the sidecar.",
        code="service_failed",
        status=HTTPStatus.BAD_GATEWAY,
    )
