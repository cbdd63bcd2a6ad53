"""The process that asks /livez during a campaign."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

import psutil

from benchmarks.load.deployment import Deployment
from benchmarks.load.measurements import measured


class Listening:
    """A service that only answers /livez."""

    def __init__(self, url: str) -> None:
        self.urls = [url]

    def processes(self) -> dict[str, list[psutil.Process]]:
        return {}


@contextmanager
def listening(asked: threading.Event) -> Iterator[Deployment]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield cast("Deployment", Listening(f"http://127.0.0.1:{server.server_port}"))
        finally:
            server.shutdown()
            thread.join()


def test_ctrl_c_which_reaches_the_probe_too_ends_the_campaign() -> None:
    asked = threading.Event()
    with listening(asked) as deployment, measured(deployment) as found:
        assert asked.wait(60)
        [probe] = multiprocessing.active_children()
        assert probe.pid
        os.kill(probe.pid, signal.SIGINT)
    assert found.livez
    assert not found.failures
