"""A proxy before the service that holds chosen requests: so a test stops a run where it likes."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

import httpx

from tests.listening import listening

Chosen = Callable[[str, str], bool]  # method, path


def without_wait(path: str) -> str:
    """The path as a service takes it that knows no `wait`."""
    return re.sub(r"\?wait=\d+\Z", "", path)


@dataclass
class HoldingProxy:
    """`held` is set once a request (or an answer) that was chosen is held; `let_go` ends that."""

    target: str
    url: str = ""
    requests: Chosen = lambda _method, _path: False  # these do not reach the service
    answers: Chosen = lambda _method, _path: False  # these do, and the client waits for its answer
    forwarded: Callable[[str], str] = str  # the path that the service gets
    seen: list[tuple[str, str]] = field(default_factory=list)  # method and path of each request
    held: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    def hold(self) -> None:
        """Keep the client waiting."""
        self.held.set()
        self.let_go.wait(300)


@contextmanager
def holding_proxy(target: str) -> Iterator[HoldingProxy]:
    """A running proxy of `target`."""
    proxy = HoldingProxy(target)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            proxy.seen.append((self.command, self.path))
            if proxy.requests(self.command, self.path):
                proxy.hold()
                self.close_connection = True
                return
            headers = {name: value for name, value in self.headers.items() if name != "Host"}
            url = f"{proxy.target}{proxy.forwarded(self.path)}"
            answer = httpx.request(self.command, url, content=body, headers=headers, timeout=60)
            if proxy.answers(self.command, self.path):
                proxy.hold()
                self.close_connection = True
                return
            self.send_response(answer.status_code)
            self.send_header("Content-Type", answer.headers.get("Content-Type", "text/plain"))
            if answer.status_code != httpx.codes.NO_CONTENT:
                self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_GET = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815  (http.server's names)

        def log_message(self, *_: object) -> None:
            """Keep standard error for what is tested."""

    with listening(Handler) as proxy.url:
        try:
            yield proxy
        finally:
            proxy.let_go.set()
