"""Requests to OpenAI by its own client: attempts, time, pages, and errors.

What the service says is not passed on unread: it may hold a part of the key.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from indexer.config.settings import embedder_access
from indexer.errors import ConfigurationError, not_installed
from indexer.limits import CODEQUERY_API_BYTES, CODEQUERY_REQUEST_SECONDS
from indexer.retry import parse_retry_after
from indexer.urls import without_proxy
from integrations.codequery.configuration import RetryRules
from integrations.codequery.errors import Code, CodeQueryError, MissingError
from integrations.codequery.retry import Deadline, Retries

if TYPE_CHECKING:
    import httpx

_Record = TypeVar("_Record")
_UNREADABLE: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_SECRET: Final = re.compile(r"\b(?:sk|key|Bearer)[-_ ][^\s\"']+", re.I)
_MESSAGE_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class Account:
    """Where the service is, and with which key. Raises CodeQueryError where either is wrong."""

    base_url: str
    key: str = field(repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> "Account":
        """OPENAI_API_KEY or OPENAI_API_KEY_FILE, and OPENAI_BASE_URL."""
        try:
            access = embedder_access(environ)
        except ConfigurationError as error:
            raise CodeQueryError(Code.CONFIGURATION, str(error)) from error
        key = access.openai_api_key
        if not key:
            raise CodeQueryError(
                Code.CONFIGURATION,
                "there is no key: set OPENAI_API_KEY, or OPENAI_API_KEY_FILE to the path of a file "
                "that holds it",
            )
        if not (key.isascii() and key.isprintable() and " " not in key):  # no header may hold it
            raise CodeQueryError(
                Code.CONFIGURATION, "OPENAI_API_KEY is no key: it has characters that no key has"
            )
        return cls(access.openai_base_url, key)

    @property
    def fingerprint(self) -> str:
        """Of address and key: a store that is kept for one account is not another's."""
        told = f"{self.base_url}\n{self.key}".encode()
        return hashlib.sha256(told).hexdigest()[:24]


class OpenAIRequests:
    """One account, for one call: every request ends by its deadline and raises CodeQueryError.

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
        self._place = f"the service at {account.base_url}"
        self._key = account.key
        self._retries = Retries(retry)
        self._deadline = deadline
        self._client = openai.OpenAI(
            api_key=account.key,
            base_url=account.base_url,
            max_retries=0,  # ours keep to the time of the call
            http_client=openai.DefaultHttpxClient(
                mounts=without_proxy(account.base_url),
                follow_redirects=False,  # code goes only to the server that the setting names
                event_hooks={"response": [self._receive]},
            ),
        )

    def _receive(self, response: "httpx.Response") -> None:
        """Read an answer, within its bounds of bytes and time: one that drips in, too."""
        import httpx

        seconds = response.request.extensions["timeout"]["read"]
        end = time.monotonic() + min(seconds, self._deadline.seconds)
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > CODEQUERY_API_BYTES:
                body.clear()  # it is then no answer that can be read
                response.close()
                break
            if time.monotonic() > end:
                raise httpx.ReadTimeout("the answer drips in", request=response.request)
        response._content = bytes(body)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def _ask(
        self,
        doing: str,
        method: Callable[..., Any],
        *,
        most_seconds: float | None = CODEQUERY_REQUEST_SECONDS,
        **parameters: Any,
    ) -> dict[str, Any]:
        def attempt(share: float) -> dict[str, Any]:
            seconds = self._deadline.seconds if most_seconds is None else min(share, most_seconds)
            return self._attempt(method, seconds, parameters)

        return self._retries.run(attempt, self._deadline, doing)

    def _ask_unless_missing(
        self, doing: str, method: Callable[..., Any], **parameters: Any
    ) -> None:
        try:
            self._ask(doing, method, **parameters)
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
                f"{self._place} did not answer in time: call again, or with a larger timeout_ms",
                is_transient=True,
            )
        except openai.APIStatusError as error:
            headers, body = error.response.headers, error.body
            problem = self._refusal(error.status_code, headers.get("Retry-After"), body)
        except openai.APIConnectionError as error:
            cause = type(error.__cause__ or error).__name__
            problem = CodeQueryError(
                Code.UNREACHABLE,
                f"{self._place} cannot be reached ({cause}): check OPENAI_BASE_URL, and that this "
                "machine may reach it",
            )
        else:
            return self._document(content, kind)
        raise problem  # here, so that it has no cause: that may hold a part of the key

    def _document(self, content: bytes, kind: str) -> dict[str, Any]:
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or "json" not in kind:
            raise self._unreadable()
        return document

    def _refusal(self, status: int, retry_after: str | None, body: object) -> CodeQueryError:
        error = body if isinstance(body, dict) else {}
        said = f"HTTP {status}{self._readable(error.get('message'))}"
        if status == 429 and error.get("code") == "insufficient_quota":
            return CodeQueryError(
                Code.REFUSED,
                f"{self._place} says that what is paid for is used up (insufficient_quota): check "
                "the plan and the billing of the key's account",
                is_general=True,
            )
        if status == 429:
            pause = parse_retry_after(retry_after)
            asks = f"; it asks to wait {pause:.0f} s" if pause else ""
            return CodeQueryError(
                Code.RATE_LIMITED,
                f"{self._place} is asked too often ({said}){asks}: call again later, or with a "
                "smaller concurrent_limit",
                is_transient=True,
                pause_seconds=pause,
            )
        if status >= 500 or status == 408:
            return CodeQueryError(
                Code.SERVICE_ERROR,
                f"{self._place} failed ({said}): call again later",
                is_transient=True,
                pause_seconds=parse_retry_after(retry_after),
            )
        if status in {401, 403}:
            return CodeQueryError(
                Code.REFUSED,
                f"{self._place} does not take the key (HTTP {status}): check OPENAI_API_KEY, and "
                "what it may do",
                is_general=True,
            )
        if status == 404:
            return MissingError(f"{self._place} does not know what is asked for ({said})")
        return CodeQueryError(Code.REFUSED, f"{self._place} refused ({said})")

    def _pages(
        self, page: Callable[[str | None], dict[str, Any]], most: int, what: str
    ) -> Iterator[Mapping[str, Any]]:
        """The objects of all pages; a service that repeats itself is not listened to for ever."""
        after, seen = None, 0
        while True:
            document = page(after)
            rows, has_more, last = self._read(document, _page)
            yield from rows
            seen += len(rows)
            if not has_more:
                return
            if last == after or not rows:
                raise self._unreadable()
            if seen >= most:
                raise CodeQueryError(
                    Code.INVALID_REQUEST, f"there are more than {most:,} {what}: delete some"
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
            f"{self._place} answers, but not as OpenAI does: check OPENAI_BASE_URL, which ends in "
            "/v1 as a rule",
            is_general=True,
        )

    def _readable(self, message: object) -> str:
        """The start of what the service said, without what looks like a key."""
        if not isinstance(message, str):
            return ""
        line = " ".join(_SECRET.sub("…", message.replace(self._key, "…")).split())
        return "" if line.startswith("<") else f": {line[:_MESSAGE_CHARACTERS]}"


def _page(told: Any) -> tuple[list[Any], bool, str | None]:
    rows = told["data"]
    if not isinstance(rows, list):
        raise TypeError("no list")
    last = told.get("last_id") or (rows[-1]["id"] if rows else None)
    return rows, told.get("has_more") is True, last
