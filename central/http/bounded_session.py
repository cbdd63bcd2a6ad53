"""Requests to an issuer or a provider: a small JSON object, soon, from that address, or a failure.

One that was taken over must not hold a thread of this service, fill its memory, or have a
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

from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

_READ_BYTES = 64 * 1024

_ends_at: ContextVar[float] = ContextVar("ends_at")


class AnswerError(RequestException):
    """The answer is not one that is read; the message says why."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Around requests that take no longer than `seconds` together."""
    held = _ends_at.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends_at.reset(held)


class BoundedSession(Session):
    """A session whose answers are JSON objects, each of `max_bytes` in `seconds`. No redirects."""

    def __init__(self, *, seconds: float, max_bytes: int) -> None:
        super().__init__()
        self._seconds, self._max_bytes = seconds, max_bytes
        self.headers["Connection"] = "close"  # each has the deadline of one request
        self.auth = _as_it_is  # and no password of a .netrc
        for scheme in ("http://", "https://"):
            self.mount(scheme, _Adapter())

    def request(self, method: Any, url: Any, *args: Any, **kwargs: Any) -> Response:
        """The answer, read whole. Raises RequestException."""
        kwargs |= {"allow_redirects": False, "stream": True, "timeout": self._seconds_left()}
        answer = super().request(method, url, *args, **kwargs)
        with answer:
            if answer.is_redirect:
                raise AnswerError("The answer is a redirect; these are not followed.")
            content = self._content(answer)
        answer._content = content
        if answer.ok:
            _require_object(content)
            answer.headers["content-type"] = "application/json"  # whatever it called itself
        return answer

    def _seconds_left(self) -> float:
        """For one request. Raises AnswerError if all have had their time."""
        left = _ends_at.get(time.monotonic() + self._seconds) - time.monotonic()
        if left <= 0:
            raise AnswerError("The answers took too long.")
        return min(left, self._seconds)

    def _content(self, answer: Response) -> bytes:
        content = b""
        try:
            for part in answer.raw.stream(_READ_BYTES, decode_content=True):
                content += part
                if len(content) > self._max_bytes:
                    raise AnswerError("The answer is too large.")
        except (HTTPError, OSError) as exc:
            raise AnswerError(f"The answer ended early: {exc}") from exc
        return content


def _as_it_is(request: PreparedRequest) -> PreparedRequest:
    return request


def _require_object(content: bytes) -> None:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as exc:
        raise AnswerError("The answer is no JSON that is read here.") from exc
    if not isinstance(document, dict):
        raise AnswerError("The answer is no JSON object.")


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


_POOLS = {"http": _Pool, "https": _TLSPool}


class _Adapter(HTTPAdapter):
    """Connections with a deadline, through a proxy, too."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = _POOLS
        return manager
