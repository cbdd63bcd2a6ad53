"""Git over HTTP as GitHub has it: smart, read with a token alone, and any object may be asked for.

git's own `http-backend` answers; every `Authorization` that came is recorded.
"""

import os
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.listening import listening


@dataclass
class GitServer:
    """Serves the repositories below `directory`: without a token to everybody.

    With `redirect_to` it sends everybody there.
    """

    directory: Path
    token: str
    url: str = ""
    redirect_to: str = ""
    authorizations: list[list[str]] = field(default_factory=list)  # one list a request

    @property
    def secret(self) -> str:
        """What follows the word `basic` in the header that opens the door."""
        return b64encode(f"x-access-token:{self.token}".encode()).decode()

    def admits(self, authorizations: list[str]) -> bool:
        """Whether these headers open the door: exactly one, where there is a token."""
        secrets = [header.partition(" ")[2] for header in authorizations]
        return not self.token or secrets == [self.secret]


class _Handler(BaseHTTPRequestHandler):
    git: GitServer

    def _handle(self) -> None:
        body = self._body()
        came = self.headers.get_all("Authorization", [])
        self.git.authorizations.append(came)
        if self.git.redirect_to:
            self._answer(302, {"Location": self.git.redirect_to + self.path})
        elif not self.git.admits(came):
            self._answer(401, {"WWW-Authenticate": 'Basic realm="GitHub"'})
        else:
            self._run_backend(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _run_backend(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        variables = {
            "GIT_PROJECT_ROOT": str(self.git.directory),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        backend = ["git", "http-backend"]
        done = subprocess.run(
            backend, env=os.environ | variables, input=body, capture_output=True, check=True
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(headers.pop("Status", "200").split()[0])
        self._answer(status, headers, content)

    def _answer(self, status: int, headers: dict[str, str], content: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = _handle  # noqa: N815  (http.server's names)

    def log_message(self, *_: object) -> None:
        """Keep standard error for what is tested."""


@contextmanager
def git_server(directory: Path, token: str) -> Iterator[GitServer]:
    """A running server."""
    git = GitServer(directory, token)
    with listening(type("Bound", (_Handler,), {"git": git})) as git.url:
        yield git
