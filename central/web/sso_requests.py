"""Requests to the sign-on's provider: a small JSON object, soon, from that address, or a failure.

A provider that was taken over must not hold a thread of this service, fill its memory, or have a
secret of ours sent elsewhere.
"""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from requests import Response, Session
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from indexer.limits import SSO_ANSWER_BYTES, SSO_REQUEST_SECONDS, SSO_SECONDS

_READ_BYTES = 64 * 1024

_ends_at: ContextVar[float] = ContextVar("sso_ends_at")


class ProviderAnswerError(RequestException):
    """The provider's answer is not one that is read; the message says why."""


@contextmanager
def within_limits() -> Iterator[None]:
    """Around all requests of one sign-in, which take no longer than SSO_SECONDS together."""
    held = _ends_at.set(time.monotonic() + SSO_SECONDS)
    try:
        yield
    finally:
        _ends_at.reset(held)


class ProviderSession(Session):
    """A session whose answers are JSON objects of at most SSO_ANSWER_BYTES. No redirects."""

    def __init__(self) -> None:
        super().__init__()
        self.headers["Connection"] = "close"  # each has the deadline of one request
        for scheme in ("http://", "https://"):
            self.mount(scheme, _Adapter())

    def request(self, method: Any, url: Any, *args: Any, **kwargs: Any) -> Response:
        """The answer, read whole. Raises RequestException."""
        kwargs |= {"allow_redirects": False, "stream": True, "timeout": _seconds_left()}
        answer = super().request(method, url, *args, **kwargs)
        with answer:
            if answer.is_redirect:
                raise ProviderAnswerError("The provider redirects; its addresses must not.")
            content = _content(answer)
        answer._content = content
        if answer.ok:
            _require_object(content)
            answer.headers["content-type"] = "application/json"  # whatever it called itself
        return answer


def _seconds_left() -> float:
    """For one request. Raises ProviderAnswerError if the sign-in has had its time."""
    left = _ends_at.get(time.monotonic() + SSO_REQUEST_SECONDS) - time.monotonic()
    if left <= 0:
        raise ProviderAnswerError("The provider was too slow.")
    return min(left, SSO_REQUEST_SECONDS)


def _content(answer: Response) -> bytes:
    content = b""
    try:
        for part in answer.raw.stream(_READ_BYTES, decode_content=True):
            content += part
            if len(content) > SSO_ANSWER_BYTES:
                raise ProviderAnswerError("The provider's answer is too large.")
    except (HTTPError, OSError) as exc:
        raise ProviderAnswerError(f"The provider's answer ended early: {exc}") from exc
    return content


def _require_object(content: bytes) -> None:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as exc:
        raise ProviderAnswerError("The provider's answer is no JSON that is read here.") from exc
    if not isinstance(document, dict):
        raise ProviderAnswerError("The provider's answer is no JSON object.")


class _Deadline:
    """Of a connection: a request that drips in is ended, though something comes all the time."""

    sock: Any
    timeout: Any
    _ends: threading.Timer | None = None

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]
        self._ends = threading.Timer(float(self.timeout), _shut_down, (self.sock,))
        self._ends.daemon = True
        self._ends.start()

    def close(self) -> None:
        if self._ends is not None:
            self._ends.cancel()
        super().close()  # type: ignore[misc]


def _shut_down(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # it is closed
        return


class _Connection(_Deadline, HTTPConnection):
    pass


class _TLSConnection(_Deadline, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


class _Adapter(HTTPAdapter):
    """Connections with a deadline."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}
