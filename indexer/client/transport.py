"""HTTP to central: the credential, time-outs, and retries while the service is unavailable.

The credential travels in a header only; no message holds it.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Final

import httpx

from indexer.client.credentials import Credentials
from indexer.client.responses import parse_response, send
from indexer.http_bodies import read_answer, receive_answer
from indexer.retry import with_retries
from indexer.urls import needs_certificates, without_proxy

_JSON: Final = {"Content-Type": "application/json"}


class Transport:
    """Requests to one service. `retry_seconds`: how long to retry."""

    def __init__(
        self,
        *,
        url: str,
        credentials: Credentials,
        retry_seconds: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self._credentials = credentials
        self._http = httpx.Client(
            base_url=url,
            auth=BearerAuth(credentials),
            headers={"Accept": "application/json"},
            timeout=httpx.Timeout(60.0, connect=5.0),
            mounts=without_proxy(url),
            verify=needs_certificates(url),
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
        """Send a request and return the decoded JSON, None if there is none.

        `headers` is called for each attempt: the time of a signature must be recent.
        """

        def attempt() -> httpx.Response:
            return read_answer(self._http, method, path, content=content, headers=dict(headers()))

        response = with_retries(
            lambda: send(attempt, url=self.url),
            seconds=self._retry_seconds if retry else 0.0,
            sleep=self._sleep,
        )
        return parse_response(response, self._credentials.error_hints)

    def download(
        self,
        path: str,
        receive: Callable[[Iterator[bytes], int | None], None],
        *,
        wait_seconds: float,
    ) -> None:
        """GET a body that is too long for memory: `receive` gets its parts, and its size if known.

        If the connection is lost, `receive` is called again from the beginning. `wait_seconds`: the
        maximum time between two parts.
        """
        timeout = httpx.Timeout(wait_seconds, connect=5.0)
        response = with_retries(
            lambda: send(
                lambda: receive_answer(self._http, path, receive, timeout=timeout), url=self.url
            ),
            seconds=self._retry_seconds,
            sleep=self._sleep,
        )
        parse_response(response, self._credentials.error_hints)


class BearerAuth(httpx.Auth):
    """The authentication of requests by credential; a refused one is refreshed once."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        bearer = self._credentials.bearer()
        request.headers["Authorization"] = f"Bearer {bearer}"
        response = yield request
        if response.status_code == httpx.codes.UNAUTHORIZED and self._credentials.refresh(bearer):
            request.headers["Authorization"] = f"Bearer {self._credentials.bearer()}"
            yield request
