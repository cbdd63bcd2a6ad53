"""Responses of central: JSON, an unavailable service, or a problem document as its error."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import httpx

from indexer.errors import (
    CentralError,
    CentralRateLimitedError,
    CentralRefusedError,
    CentralUnreachableError,
    RunConflictError,
    RunStaleError,
)
from indexer.http_bodies import AnswerTooLongError
from indexer.output.terminal import foreign_line
from indexer.retry import Retryable, parse_retry_after

_RETRIED_STATUSES: Final = frozenset({429, 502, 503, 504})
_COMMIT: Final = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_LIMITS_WITH_ADVICE: Final = frozenset({"too_many_open_runs", "too_much_waiting"})
_RATE_HINT: Final = (
    "Try again later, with fewer requests at once; an operator sets the rates "
    "(AETERNA_RATE_INDEX, AETERNA_RATE_SEARCH)"
)
_HINTS: Final = {
    404: "check AETERNA_URL, the organisation and the project, and that the token may see them",
    413: "split the upload, or raise the server's limit",
}


def send(send: Callable[[], httpx.Response], *, url: str) -> httpx.Response | Retryable:
    """Return the response of the service at `url`, or Retryable if it may answer later."""
    try:
        response = send()
    except AnswerTooLongError as exc:
        raise CentralError(
            f"{url} returned {exc}: check that AETERNA_URL names the service itself"
        ) from exc
    except httpx.RequestError as exc:
        return Retryable(_unreachable(url, exc))
    if is_transient(response):
        return Retryable(
            _unavailable(response), parse_retry_after(response.headers.get("Retry-After"))
        )
    return response


def is_transient(response: httpx.Response) -> bool:
    """Whether the status says that the same request may succeed later."""
    return response.status_code in _RETRIED_STATUSES


def parse_response(response: httpx.Response, hints: Mapping[int | str, str]) -> Any:
    """Return the JSON of a response, None if it is empty. Raises a problem as its error.

    `hints` have advice by code or by status.
    """
    if not response.is_success:
        _refuse(response, hints)
    if not response.content:
        return None
    try:
        return response.json()
    except (ValueError, RecursionError) as exc:
        raise CentralError(
            f"the answer of {response.request.url} is not JSON: check that AETERNA_URL names "
            "the service itself"
        ) from exc


@contextmanager
def malformed_answer(answer: object) -> Iterator[None]:
    """Raise CentralError, naming central, if an answer does not follow the contract."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError) as exc:
        kind = type(answer).__name__
        raise CentralError(
            f"central returned a {kind} that this client cannot read ({exc}): check that both are "
            "up to date"
        ) from exc


def parse_commit(value: Any) -> str | None:
    """Return the commit of an answer, if any: git would read other text as an option or ref.

    Raises TypeError and ValueError.
    """
    if value is not None and not _COMMIT.fullmatch(value):
        raise ValueError(f"{value!r} is not a commit")
    name: str | None = value
    return name


def _unreachable(url: str, exc: httpx.RequestError) -> CentralUnreachableError:
    error = CentralUnreachableError(
        f"{url} did not answer ({type(exc).__name__}): check AETERNA_URL, that the "
        "service runs, and that this machine may reach it"
    )
    error.__cause__ = exc
    return error


def _unavailable(response: httpx.Response) -> CentralUnreachableError:
    detail = _detail(response)
    if response.status_code != httpx.codes.TOO_MANY_REQUESTS:
        return CentralUnreachableError(
            f"central is not available (HTTP {response.status_code}): {detail}"
        )
    message = f"central limits requests (HTTP {response.status_code}): {detail.removesuffix('.')}."
    if _problem(response).get("code") not in _LIMITS_WITH_ADVICE:
        message += f" {_RATE_HINT}"
    return CentralRateLimitedError(message)


def _refuse(response: httpx.Response, hints: Mapping[int | str, str]) -> NoReturn:
    """Raise the error of a problem document (RFC 9457)."""
    status, fields = response.status_code, _problem(response)
    code, detail = str(fields.get("code", "refused")), _detail(response)
    if code == "run_in_progress" and "run_id" in fields:
        raise RunConflictError(detail, run_id=str(fields["run_id"]))
    if code == "run_not_open" and fields.get("state") == "stale":
        raise RunStaleError(detail)
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        raise CentralUnreachableError(f"central failed (HTTP {status}): {detail}; check its log")
    hint = hints.get(code) or hints.get(status) or _HINTS.get(status)
    message = f"the service refused (HTTP {status}, {code}): {detail}"
    if hint:
        message = f"{message.removesuffix('.')}; {hint}"
    raise CentralRefusedError(message, code=code, status=status, problem=fields)


def _problem(response: httpx.Response) -> dict[str, Any]:
    try:
        fields = response.json()
    except (ValueError, RecursionError):  # a proxy's page
        return {}
    return fields if isinstance(fields, dict) else {}


def _detail(response: httpx.Response) -> str:
    return foreign_line(str(_problem(response).get("detail") or response.reason_phrase))
