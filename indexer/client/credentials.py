"""Credentials of requests to central: an API token, or one exchanged for GitHub's id token."""

import threading
import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Protocol
from urllib.parse import quote

import httpx

from indexer.client.responses import is_transient, parse_response, send
from indexer.config.settings import IdTokenSource, Settings
from indexer.errors import CentralError, IdentityError, IdentityUnavailableError
from indexer.http_bodies import read_answer
from indexer.retry import Retryable, parse_retry_after, with_retries
from indexer.urls import without_proxy

_EXCHANGE: Final = "/api/v1/auth/github-oidc"
_AHEAD_SECONDS: Final = 30.0
_TIMEOUT: Final = httpx.Timeout(30.0, connect=5.0)


class Purpose(StrEnum):
    """The purpose of a keyless token; central grants no other scope."""

    INDEX = "index"
    IMPACT = "impact"


_SCOPES: Final = {Purpose.INDEX: "index", Purpose.IMPACT: "search"}


class Credentials(Protocol):
    """The credential of requests to central. Safe to share between threads."""

    error_hints: Mapping[int | str, str]  # what to change, by central's status or code

    def bearer(self) -> str:
        """Return the secret of the `Authorization` header."""
        ...

    def refresh(self, refused: str) -> bool:
        """Replace `refused`, which central did not accept; False if there is no other."""
        ...


def from_settings(settings: Settings, purpose: Purpose) -> Credentials:
    """Return the configured credentials. Sends no request."""
    if isinstance(settings.credential, IdTokenSource):
        return OidcToken(settings, settings.credential, purpose)
    return StaticToken(settings.credential, purpose)


class StaticToken:
    """An API token that was created for this job; it cannot be refreshed."""

    def __init__(self, token: str, purpose: Purpose = Purpose.INDEX) -> None:
        self._token = token
        self.error_hints: Mapping[int | str, str] = {
            401: "check AETERNA_TOKEN: it may be wrong, expired or revoked",
            "insufficient_scope": f"AETERNA_TOKEN needs the scope `{_SCOPES[purpose]}`",
        }

    def bearer(self) -> str:
        """Return the token."""
        return self._token

    def refresh(self, refused: str) -> bool:  # noqa: ARG002 - there is no other token
        """Return False."""
        return False


class OidcToken:
    """A short-lived token that central issues for an id token of the job, refreshed as needed.

    Its methods raise CentralError if central refuses or is unavailable, and IdentityError if GitHub
    provides no id token.
    """

    error_hints: Mapping[int | str, str] = {
        401: "run the job again: central refused a token that it had just issued",
        403: "a keyless token has only the permissions of the organisation's policy for this job",
    }

    def __init__(
        self,
        settings: Settings,
        source: IdTokenSource,
        purpose: Purpose,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = settings.url
        self._source = source
        self._purpose = purpose
        self._retry_seconds = settings.retry_seconds
        self._sleep = sleep
        self._token = ""
        self._refresh_at = 0.0
        self._lock = threading.Lock()

    def bearer(self) -> str:
        """Return a token that does not expire soon."""
        with self._lock:
            if time.monotonic() >= self._refresh_at:
                self._exchange()
            return self._token

    def refresh(self, refused: str) -> bool:
        """Exchange again, unless another thread has done so."""
        with self._lock:
            if self._token == refused:
                self._exchange()
        return True

    def _exchange(self) -> None:
        began = time.monotonic()
        headers, mounts = {"Accept": "application/json"}, without_proxy(self._url)
        with httpx.Client(timeout=_TIMEOUT, headers=headers, mounts=mounts) as http:
            response = with_retries(
                lambda: self._attempt(http), seconds=self._retry_seconds, sleep=self._sleep
            )
        self._token, lifetime = _granted(parse_response(response, self._exchange_error_hints()))
        self._refresh_at = began + max(lifetime - _AHEAD_SECONDS, lifetime / 2)

    def _exchange_error_hints(self) -> Mapping[int | str, str]:
        return {
            404: "check central-url (AETERNA_URL); an older service needs an API token",
            "oidc_audience": (
                f"it is for {self._url}: set central-url (AETERNA_URL) to exactly the service's "
                "public address"
            ),
        }

    def _attempt(self, http: httpx.Client) -> httpx.Response | Retryable:
        """Exchange once. Each attempt needs its own id token: a lost answer has used one up."""
        id_token = self._id_token(http)
        if isinstance(id_token, Retryable):
            return id_token
        body = {"token": id_token, "purpose": self._purpose}
        return send(
            lambda: read_answer(http, "POST", self._url + _EXCHANGE, json=body), url=self._url
        )

    def _id_token(self, http: httpx.Client) -> str | Retryable:
        """Request the id token.

        https://docs.github.com/en/actions/reference/security/oidc#requesting-the-jwt
        """
        address = f"{self._source.url}&audience={quote(self._url, safe='')}"
        try:
            headers = {"Authorization": f"bearer {self._source.key}"}
            response = read_answer(http, "GET", address, headers=headers)
        except httpx.RequestError as exc:
            problem = IdentityUnavailableError(
                f"GitHub provided no id token ({type(exc).__name__}): check that this runner may "
                "reach the host of ACTIONS_ID_TOKEN_REQUEST_URL"
            )
            problem.__cause__ = exc
            return Retryable(problem)
        status = response.status_code
        if is_transient(response) or status >= httpx.codes.INTERNAL_SERVER_ERROR:
            problem = IdentityUnavailableError(
                f"GitHub provided no id token (HTTP {status}); run the job again later"
            )
            return Retryable(problem, parse_retry_after(response.headers.get("Retry-After")))
        value = _value(response) if response.is_success else ""
        if not value:
            raise IdentityError(
                f"GitHub provided no id token (HTTP {status}): give the job the permission "
                "`id-token: write`, and its caller too if it is a called workflow"
            )
        return value


def _value(response: httpx.Response) -> str:
    try:
        value = response.json()["value"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return value if isinstance(value, str) and value.isascii() else ""


def _granted(answer: Any) -> tuple[str, float]:
    try:
        token, lifetime = answer["access_token"], float(answer["expires_in"])
    except (KeyError, TypeError, ValueError, OverflowError) as exc:
        raise CentralError(
            "central's answer to the id token cannot be read: check that both are up to date"
        ) from exc
    return str(token), lifetime
