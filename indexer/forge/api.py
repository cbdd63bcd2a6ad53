"""Requests to GitHub's REST API: one server, limited answers, no redirect to another host.

https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, Self
from urllib.parse import urlsplit

import httpx

from indexer.errors import ForgeError, ForgeUnavailableError
from indexer.http_bodies import AnswerTooLongError, read_answer
from indexer.output.terminal import foreign_line
from indexer.retry import parse_retry_after
from indexer.urls import without_proxy

FORGE_ANSWER_BYTES: Final = 32 * 1024 * 1024  # of one answer of a forge's API; a page has 100 rows
FORGE_PAGES: Final = 200  # of a list, each of 100 repositories
_TIMEOUT: Final = httpx.Timeout(30.0, connect=5.0)
_VERSION: Final = "2022-11-28"
_MOVED: Final = frozenset({301, 307, 308})  # https://docs.github.com/rest/using-the-rest-api
_REDIRECTS: Final = 3
_LIMITED: Final = frozenset({403, 429})
_SERVER_ERRORS: Final = 500
_SHOWN: Final = 200


class GitHubApi:
    """The API at `url`, asked with `token`, which is sent to no other address.

    Its methods raise ForgeError, and ForgeUnavailableError if a later request may succeed.
    """

    def __init__(self, *, url: str, token: str = "") -> None:
        self.url = url.rstrip("/")
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": _VERSION,
            "User-Agent": "aeterna-code-search",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx.Client(
            timeout=_TIMEOUT, headers=headers, mounts=without_proxy(url), follow_redirects=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, **parameters: str | int) -> Any:
        """Return the JSON at `path`."""
        return self._json(self._send("GET", self._address(path), params=parameters or None))

    def find(self, path: str, **parameters: str | int) -> Any | None:
        """Return the JSON at `path`; None if there is nothing, or nothing for this credential."""
        try:
            return self.get(path, **parameters)
        except ForgeError as error:
            if error.status == httpx.codes.NOT_FOUND:
                return None
            raise

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """Send a JSON body and return the JSON answer."""
        return self._json(self._send(method, self._address(path), json=dict(body)))

    def pages(self, path: str, key: str = "", **parameters: str | int) -> Iterator[dict[str, Any]]:
        """Yield the objects of a list, page by page; `key` names the list inside an object."""
        address: str | None = self._address(path)
        query: dict[str, str | int] | None = {"per_page": 100, **parameters}
        for _ in range(FORGE_PAGES):
            if address is None:
                return
            response = self._send("GET", address, params=query)
            found = self._json(response)
            rows = found.get(key) if key and isinstance(found, dict) else found
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise ForgeError(f"The forge's list at {path} has an unknown form.")
            yield from rows
            address, query = response.links.get("next", {}).get("url"), None
        if address is not None:
            raise ForgeError(f"The forge's list at {path} has more than {FORGE_PAGES} pages.")

    def _address(self, path: str) -> str:
        return f"{self.url}/{path.lstrip('/')}"

    def _send(self, method: str, address: str, **request: Any) -> httpx.Response:
        for _ in range(_REDIRECTS):
            self._require_own(address)
            response = self._attempt(method, address, **request)
            if response.status_code not in _MOVED:
                return _checked(response)
            address = str(response.url.join(response.headers.get("Location", "")))
            request.pop("params", None)  # the new address has them
        raise ForgeError("The forge's API redirects without end.")

    def _require_own(self, address: str) -> None:
        """Refuse an address outside the API: an answer must not choose where the token goes."""
        try:
            own, asked = urlsplit(self.url), urlsplit(address)
        except ValueError as exc:
            raise ForgeError("The forge's API names a page by what is no address.") from exc
        if (asked.scheme, asked.netloc) != (own.scheme, own.netloc):
            raise ForgeError(f"The forge's API names another server, {asked.netloc[:_SHOWN]}.")

    def _attempt(self, method: str, address: str, **request: Any) -> httpx.Response:
        try:
            return read_answer(self._http, method, address, FORGE_ANSWER_BYTES, **request)
        except AnswerTooLongError as exc:
            raise ForgeError("The forge's answer is too long.") from exc
        except httpx.InvalidURL as exc:  # httpx reads where a redirect leads
            raise ForgeError("The forge's API redirects to what is no address.") from exc
        except httpx.RequestError as exc:
            host = urlsplit(self.url).netloc
            raise ForgeUnavailableError(
                f"The forge's API at {host} did not answer ({type(exc).__name__})."
            ) from exc

    @staticmethod
    def _json(response: httpx.Response) -> Any:
        try:
            return response.json() if response.content else None
        except (ValueError, RecursionError) as exc:
            raise ForgeError("The forge's answer is no JSON.") from exc


def page_url(answer: Any) -> str:
    """Return the address of the page that shows an object of an answer; "" if it has none."""
    url = answer.get("html_url") if isinstance(answer, dict) else None
    return url if isinstance(url, str) and url.isprintable() else ""


def _checked(response: httpx.Response) -> httpx.Response:
    """Return a successful answer. Raises ForgeError."""
    status = response.status_code
    if response.is_success:
        return response
    path = response.request.url.path[:_SHOWN]
    pause = _pause(response)
    if status in _LIMITED and pause is not None:
        raise ForgeUnavailableError(
            f"The forge limits requests (HTTP {status}); the next is possible in {pause:,.0f} s.",
            status=status,
            pause_seconds=pause,
        )
    if status >= _SERVER_ERRORS:
        raise ForgeUnavailableError(f"The forge answered HTTP {status} at {path}.", status=status)
    raise ForgeError(
        f"The forge answered HTTP {status} at {path}: {_message(response)}", status=status
    )


def _pause(response: httpx.Response) -> float | None:
    """Return how long the forge asks to wait; None if it does not limit requests.

    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    if after := response.headers.get("Retry-After"):
        return parse_retry_after(after)
    if response.headers.get("X-RateLimit-Remaining") == "0":
        try:
            reset = float(response.headers.get("X-RateLimit-Reset", ""))
        except ValueError:
            return 60.0
        return min(max(reset - time.time(), 1.0), 3_600.0)
    return 60.0 if response.status_code == httpx.codes.TOO_MANY_REQUESTS else None


def _message(response: httpx.Response) -> str:
    try:
        said = response.json()["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        said = ""
    text = foreign_line(said, _SHOWN) if isinstance(said, str) else ""
    return text or "no reason given"
