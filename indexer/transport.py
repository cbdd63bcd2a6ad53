"""HTTP to central: time-outs, retries with jittered back-off, and problem documents as errors.

The credential travels in a header only; no message holds it.
"""

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

import httpx

from indexer.errors import (
    CentralError,
    CentralRefusedError,
    CentralUnreachableError,
    RunConflictError,
    RunStaleError,
)

_RETRIED_STATUSES: Final = frozenset({429, 502, 503, 504})
_FIRST_PAUSE_SECONDS: Final = 0.2
_LONGEST_PAUSE_SECONDS: Final = 8.0
_JSON: Final = {"Content-Type": "application/json"}
_HINTS: Final = {
    401: "check AETERNA_TOKEN: it may be wrong, expired or revoked",
    403: "the token may not do this; it needs the scope `index`",
    404: "check AETERNA_URL, the organisation and the project, and that the token may see them",
    413: "split the upload, or raise the server's limit",
}


class Transport:
    """Requests to one service. `retry_seconds`: how long a service that is away is waited for."""

    def __init__(
        self,
        *,
        url: str,
        token: str,
        retry_seconds: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self._http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
            timeout=httpx.Timeout(60.0, connect=5.0),
        )
        self._retry_seconds = retry_seconds
        self._sleep = sleep

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        headers: Callable[[], Mapping[str, str]] = lambda: _JSON,
        retry: bool = True,
    ) -> Any:
        """Send and answer the decoded JSON, None where there is none.

        `headers` is called for each attempt: a signature's time must not grow old.
        """
        give_up_at = time.monotonic() + (self._retry_seconds if retry else 0.0)
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                response = self._http.request(method, path, content=content, headers=headers())
            except httpx.TransportError as exc:
                asked_pause, problem = 0.0, self._unreachable(exc)
            else:
                if response.status_code not in _RETRIED_STATUSES:
                    return _answer(response)
                asked_pause, problem = _retry_after(response), _unavailable(response)
            wait = max(asked_pause, pause * random.uniform(0.5, 1.0))  # noqa: S311
            if time.monotonic() + wait > give_up_at:
                raise problem
            self._sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _unreachable(self, exc: httpx.TransportError) -> CentralUnreachableError:
        error = CentralUnreachableError(
            f"{self.url} did not answer ({type(exc).__name__}): check AETERNA_URL, that the "
            "service runs, and that this machine may reach it"
        )
        error.__cause__ = exc
        return error


def _retry_after(response: httpx.Response) -> float:
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdigit() else 0.0


def _unavailable(response: httpx.Response) -> CentralUnreachableError:
    return CentralUnreachableError(
        f"central is not available (HTTP {response.status_code}): {_detail(response)}"
    )


def _answer(response: httpx.Response) -> Any:
    if response.is_success:
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError as exc:
            raise CentralError(
                f"the answer of {response.request.url} is not JSON: check that AETERNA_URL names "
                "the service itself"
            ) from exc
    return _refuse(response)


def _refuse(response: httpx.Response) -> NoReturn:
    """A problem document (RFC 9457) as the error that it stands for."""
    status, fields = response.status_code, _problem(response)
    code, detail = str(fields.get("code", "refused")), _detail(response)
    if code == "run_in_progress" and "run_id" in fields:
        raise RunConflictError(detail, run_id=str(fields["run_id"]))
    if code == "run_not_open" and fields.get("state") == "stale":
        raise RunStaleError(detail)
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        raise CentralUnreachableError(
            f"central failed (HTTP {status}): {detail}; its log tells why"
        )
    hint = _HINTS.get(status)
    message = f"central refused (HTTP {status}, {code}): {detail}"
    raise CentralRefusedError(f"{message}; {hint}" if hint else message, code=code, status=status)


def _problem(response: httpx.Response) -> dict[str, Any]:
    try:
        fields = response.json()
    except ValueError:  # a proxy's page
        return {}
    return fields if isinstance(fields, dict) else {}


def _detail(response: httpx.Response) -> str:
    return str(_problem(response).get("detail") or response.reason_phrase)
