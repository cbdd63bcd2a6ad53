"""A server with one answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.listening import listening


@contextmanager
def answering(
    status: int, headers: dict[str, str], body: bytes = b"{}"
) -> Iterator[tuple[str, list[str]]]:
    """A server with one answer; the credentials that it was sent."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("Authorization", ""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            """Nothing."""

    with listening(Handler) as url:
        yield url, seen
