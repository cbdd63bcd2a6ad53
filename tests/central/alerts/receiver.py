"""A receiver of alerts over real HTTP, which answers what a test says."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from standardwebhooks import Webhook

from tests.indexer.store.certificates import self_signed
from tests.listening import listening


@dataclass
class Receiver:
    """What it was sent; `statuses` are its next answers, then 200."""

    address: str = ""
    statuses: list[int] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    is_silent: bool = False  # it sends a header's beginning, and no more
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.bodies]

    def verified(self, number: int, secret: str) -> dict[str, Any]:
        """A message that the secret signed. Raises WebhookVerificationError."""
        found: dict[str, Any] = Webhook(secret).verify(self.bodies[number], self.headers[number])
        return found


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver at http://127.0.0.1."""
    receiver = Receiver()
    with listening(_handler(receiver)) as url:
        receiver.address = f"{url}/hook?key=secret"
        try:
            yield receiver
        finally:
            receiver.released.set()


@contextmanager
def receiving_over_tls(directory: Path) -> Iterator[tuple[Receiver, Path]]:
    """A receiver at https://localhost, and the authority of its certificate."""
    receiver = Receiver()
    key, certificate = self_signed()
    (directory / "key.pem").write_bytes(key)
    (directory / "certificate.pem").write_bytes(certificate)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(receiver))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "certificate.pem", directory / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # a refused certificate
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    receiver.address = f"https://localhost:{server.server_port}/hook"
    try:
        yield receiver, directory / "certificate.pem"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            if receiver.is_silent:
                self.wfile.write(b"HTTP/1.1 200 ")
                receiver.released.wait(60)
                return
            status = receiver.statuses.pop(0) if receiver.statuses else 200
            self.send_response(status)
            if status == 302:
                self.send_header("Location", receiver.address)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    return Handler
