"""Fetching an issuer's key set over HTTP, bounded in bytes and in seconds as a whole.

A timeout of a socket is one of each read: an answer that comes byte by byte would keep it for
ever. So the connection is shut down when the time is over, whatever it is doing.
"""

import http.client
import json
import socket
import threading
import time
import urllib.request
from contextlib import suppress
from typing import Any
from urllib.error import HTTPError

from indexer.limits import ISSUER_KEY_SET_BYTES

KEY_SET_SECONDS = 5
_READ_SECONDS = 3
_READ_BYTES = 64 * 1024


def fetch_key_set(url: str) -> Any:
    """The JSON at `url`. It follows no redirects.

    Raises OSError, ValueError, RecursionError, http.client.HTTPException.
    """
    deadline = _Deadline(KEY_SET_SECONDS)
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        _HTTPHandler(deadline),
        _HTTPSHandler(deadline),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    try:
        with opener.open(url, timeout=_READ_SECONDS) as answer:
            body = _read(answer, deadline)
    except HTTPError as exc:
        exc.close()
        raise
    finally:
        deadline.cancel()
    return json.loads(body)


def _read(answer: Any, deadline: "_Deadline") -> bytes:
    body = b""
    while part := answer.read1(_READ_BYTES):
        body += part
        if len(body) > ISSUER_KEY_SET_BYTES:
            raise ValueError(f"The key set is larger than {ISSUER_KEY_SET_BYTES} bytes.")
    deadline.require()
    return body


class _Deadline:
    """Shuts a connection down when its time is over."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def watch(self, connection: socket.socket) -> None:
        self._sockets.append(connection)

    def cancel(self) -> None:
        self._timer.cancel()

    def require(self) -> None:
        """Raise TimeoutError if the time is over: what was read may be a part."""
        if time.monotonic() >= self._ends:
            raise TimeoutError

    def _end(self) -> None:
        for connection in self._sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _HTTPHandler(urllib.request.HTTPHandler):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_watched(http.client.HTTPConnection, self._deadline), req)


class _HTTPSHandler(urllib.request.HTTPSHandler):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_watched(http.client.HTTPSConnection, self._deadline), req)


def _watched(kind: Any, deadline: _Deadline) -> Any:
    class Watched(kind):  # type: ignore[misc]
        def connect(self) -> None:
            super().connect()
            deadline.watch(self.sock)

    return Watched
