"""Requests to OpenAI through its client: retries, deadlines, pages and errors.

Messages of the service are redacted: they may contain a part of the key.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from aeterna_code_search.integrations.codequery.configuration import RetryRules
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError, MissingError
from aeterna_code_search.integrations.codequery.retry import Deadline, Retries
from indexer.config.settings import embedder_access
from indexer.errors import ConfigurationError, not_installed
from indexer.output.terminal import foreign_line
from indexer.retry import parse_retry_after
from indexer.urls import without_proxy

if TYPE_CHECKING:
    import httpx

CODEQUERY_REQUEST_SECONDS: Final = 30.0  # of one request, except for the answer itself
CODEQUERY_API_BYTES: Final = 16 * 1024 * 1024  # of one answer of the API
_Record = TypeVar("_Record")
_UNREADABLE: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_SECRET: Final = re.compile(r"\b(?:sk|key|Bearer)[-_ ][^\s\"']+", re.I)
_MESSAGE_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class Account:
    """The URL of the service, and the key."""

    base_url: str
    key: str = field(repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> "Account":
        """Read OPENAI_API_KEY(_FILE) and OPENAI_BASE_URL. Raises CodeQueryError."""
        try:
            access = embedder_access(environ)
        except ConfigurationError as error:
            raise CodeQueryError(Code.CONFIGURATION, str(error)) from error
        key = access.openai_api_key
        if not key:
            raise CodeQueryError(
                Code.CONFIGURATION,
                "there is no key: set OPENAI_API_KEY, or set OPENAI_API_KEY_FILE to the path of a "
                "file with the key",
            )
        if not (key.isascii() and key.isprintable() and " " not in key):  # not valid in a header
            raise CodeQueryError(
                Code.CONFIGURATION, "OPENAI_API_KEY has invalid characters: set a valid key"
            )
        return cls(access.openai_base_url, key)

    @property
    def fingerprint(self) -> str:
        """A hash of URL and key, which separates the stores of accounts in the cache."""
        identity = f"{self.base_url}\n{self.key}".encode()
        return hashlib.sha256(identity).hexdigest()[:24]


class OpenAIRequests:
    """Requests of one account within the deadline of one call. They raise CodeQueryError.

    Requests may be made from several threads.
    """

    def __init__(self, account: Account, retry: RetryRules, deadline: Deadline) -> None:
        try:
            import openai
        except ImportError as error:
            raise CodeQueryError(
                Code.NOT_INSTALLED, not_installed("openai", "codequery")
            ) from error
        self._openai = openai
        self._server = f"the service at {account.base_url}"
        self._key = account.key
        self._retries = Retries(retry)
        self._deadline = deadline
        self._client = openai.OpenAI(
            api_key=account.key,
            base_url=account.base_url,
            max_retries=0,  # `Retries` keeps the deadline
            http_client=openai.DefaultHttpxClient(
                mounts=without_proxy(account.base_url),
                follow_redirects=False,  # code is sent only to the configured server
                event_hooks={"response": [self._receive]},
            ),
        )

    def _receive(self, response: "httpx.Response") -> None:
        """Read an answer within its limits of bytes and time, even if it arrives slowly."""
        import httpx

        seconds = response.request.extensions["timeout"]["read"]
        end = time.monotonic() + min(seconds, self._deadline.seconds)
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > CODEQUERY_API_BYTES:
                body.clear()  # too large, so it is treated as unreadable
                response.close()
                break
            if time.monotonic() > end:
                raise httpx.ReadTimeout("the answer arrives too slowly", request=response.request)
        response._content = bytes(body)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _request(self, doing: str, method: Callable[..., Any], **parameters: Any) -> dict[str, Any]:
        return self._retries.run(
            lambda share: self._attempt(method, min(share, CODEQUERY_REQUEST_SECONDS), parameters),
            self._deadline,
            doing,
        )

    def _request_at_length(
        self, doing: str, method: Callable[..., Any], **parameters: Any
    ) -> dict[str, Any]:
        """Request what takes long: an attempt gets half of the remaining time, the last one all."""
        return self._retries.run(
            lambda share: self._attempt(method, max(share, self._deadline.seconds / 2), parameters),
            self._deadline,
            doing,
        )

    def _request_unless_missing(
        self, doing: str, method: Callable[..., Any], **parameters: Any
    ) -> None:
        try:
            self._request(doing, method, **parameters)
        except MissingError:
            return

    def _attempt(
        self, method: Callable[..., Any], seconds: float, parameters: Mapping[str, Any]
    ) -> dict[str, Any]:
        openai = self._openai
        try:
            response = method(**parameters, timeout=max(seconds, 0.001))
            content, kind = response.content, response.headers.get("Content-Type", "json")
        except openai.APITimeoutError:
            problem = CodeQueryError(
                Code.TIMEOUT,
                f"{self._server} did not answer in time: call again, or with a larger timeout_ms",
                is_transient=True,
            )
        except openai.APIStatusError as error:
            headers, body = error.response.headers, error.body
            problem = self._status_error(error.status_code, headers.get("Retry-After"), body)
        except openai.APIConnectionError as error:
            cause = type(error.__cause__ or error).__name__
            problem = CodeQueryError(
                Code.UNREACHABLE,
                f"{self._server} cannot be reached ({cause}): check OPENAI_BASE_URL, and that this "
                "machine may reach it",
                is_transient=True,
            )
        else:
            return self._document(content, kind)
        raise problem  # without a cause, which may contain a part of the key

    def _document(self, content: bytes, kind: str) -> dict[str, Any]:
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or "json" not in kind:
            raise self._unreadable()
        return document

    def _status_error(self, status: int, retry_after: str | None, body: object) -> CodeQueryError:
        error = body if isinstance(body, dict) else {}
        reason = f"HTTP {status}{self._readable(error.get('message'))}"
        if status == 429 and error.get("code") == "insufficient_quota":
            return CodeQueryError(
                Code.REFUSED,
                f"{self._server} reports that the quota is used up (insufficient_quota): check the "
                "plan and the billing of the key's account",
                is_general=True,
            )
        if status == 429:
            pause = parse_retry_after(retry_after)
            wait = f"; retry after {pause:.0f} s" if pause else ""
            return CodeQueryError(
                Code.RATE_LIMITED,
                f"{self._server} limits the rate of requests ({reason}){wait}: call again later, "
                "or with a smaller concurrent_limit",
                is_transient=True,
                pause_seconds=pause,
            )
        if status >= 500 or status == 408:
            return CodeQueryError(
                Code.SERVICE_ERROR,
                f"{self._server} failed ({reason}): call again later",
                is_transient=True,
                pause_seconds=parse_retry_after(retry_after),
            )
        if status in {401, 403}:
            return CodeQueryError(
                Code.REFUSED,
                f"{self._server} rejects the key (HTTP {status}): check OPENAI_API_KEY and its "
                "permissions",
                is_general=True,
            )
        if status == 404:
            return MissingError(f"{self._server} does not have the requested object ({reason})")
        return CodeQueryError(Code.REFUSED, f"{self._server} rejected the request ({reason})")

    def _pages(
        self, page: Callable[[str | None], dict[str, Any]], maximum: int, what: str
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the objects of all pages; stop at a service that repeats pages."""
        after, count = None, 0
        while True:
            document = page(after)
            rows, has_more, last = self._read(document, _page)
            yield from rows
            count += len(rows)
            if not has_more:
                return
            if last == after or not rows:
                raise self._unreadable()
            if count >= maximum:
                raise CodeQueryError(
                    Code.INVALID_REQUEST, f"there are more than {maximum:,} {what}: delete some"
                )
            after = last

    def _read(self, document: Any, read: Callable[[Any], _Record]) -> _Record:
        try:
            return read(document)
        except _UNREADABLE:
            problem = self._unreadable()
        raise problem

    def _unreadable(self) -> CodeQueryError:
        return CodeQueryError(
            Code.BAD_ANSWER,
            f"the answer of {self._server} is not one of OpenAI's API: check OPENAI_BASE_URL, "
            "which usually ends in /v1",
            is_general=True,
        )

    def _readable(self, message: object) -> str:
        """Return the start of the service's message, without text that looks like a key."""
        if not isinstance(message, str):
            return ""
        line = _SECRET.sub("…", foreign_line(message.replace(self._key, "…")))
        return "" if line.startswith("<") else f": {line[:_MESSAGE_CHARACTERS]}"


def _page(document: Any) -> tuple[list[Any], bool, str | None]:
    rows = document["data"]
    if not isinstance(rows, list):
        raise TypeError("no list")
    last = document.get("last_id") or (rows[-1]["id"] if rows else None)
    return rows, document.get("has_more") is True, last
