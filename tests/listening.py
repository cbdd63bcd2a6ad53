"""An HTTP server of a test: at a port of the loopback, until the test is over."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Listening:
    """What answers by `self._server`, in threads, from the beginning of a block until its end."""

    _server: ThreadingHTTPServer
    _thread: threading.Thread

    def __enter__(self) -> Self:
        self._server.daemon_threads = True
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Listening(Listening):
    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler], port: int = 0) -> Iterator[str]:
    """Its address, `http://127.0.0.1:PORT`; a free port for 0."""
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    with _Listening(server):
        yield f"http://127.0.0.1:{server.server_port}"
