"""Requests over HTTP: credentials, rate limits, the routes of the API, and git's own server."""

import json
import os
import re
import subprocess
import time
from base64 import b64decode
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from scripts.local_git import IDENTITY
from tests.local_forge.repository import LocalRepository

if TYPE_CHECKING:
    from tests.local_forge.server import LocalForge

API_PATH = "/api/v3"
Answer = tuple[int, Any]
Route = Callable[["Handler", re.Match[str]], Answer]
ROUTES: list[tuple[str, re.Pattern[str], Route]] = []


def route(method: str, pattern: str) -> Callable[[Route], Route]:
    """Register a function as the answer to requests whose path matches."""

    def register(act: Route) -> Route:
        ROUTES.append((method, re.compile(pattern + r"\Z"), act))
        return act

    return register


NOT_FOUND: Answer = (404, {"message": "Not Found", "documentation_url": "", "status": "404"})


class Handler(BaseHTTPRequestHandler):
    """One connection. Answers of routes become JSON."""

    protocol_version = "HTTP/1.1"

    @property
    def forge(self) -> "LocalForge":
        forge: LocalForge = self.server.forge  # type: ignore[attr-defined]
        return forge

    def do_GET(self) -> None:
        """An API's document, or a clone's refs."""
        self._serve()

    def do_POST(self) -> None:
        """A change, or a clone's pack."""
        self._serve()

    do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815 - the names that http.server calls

    def _serve(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path
        self.secret = self._secret()
        self.forge.asked.append((self.command, path, self.forge.kind_of(self.secret)))
        if self.forge.is_away:
            self._answer(503, b"")
        elif path.startswith(f"{API_PATH}/"):
            self._serve_api(path.removeprefix(API_PATH))
        else:
            self._serve_git(path)

    def _secret(self) -> str:
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            return b64decode(value).decode().partition(":")[2]
        return value

    def _serve_api(self, path: str) -> None:
        if self.forge.limited > 0:
            self.forge.limited -= 1
            self._json(
                403,
                {"message": "API rate limit exceeded"},
                ("X-RateLimit-Remaining", "0"),
                ("X-RateLimit-Reset", str(int(time.time()) + 1)),
            )
            return
        query = parse_qs(urlsplit(self.path).query)
        self.query = {name: values[-1] for name, values in query.items()}
        self.links: list[tuple[str, str]] = []
        if self.forge.kind_of(self.secret) == "none" and self.secret:
            self._json(401, {"message": "Bad credentials"})
            return
        for method, pattern, act in ROUTES:
            if method == self.command and (found := pattern.match(path)):
                self._json(*act(self, found), *self.links)
                return
        self._json(*NOT_FOUND)

    def page(self, rows: list[Any]) -> list[Any]:
        """The page that is asked for, with a link to the next."""
        size = min(int(self.query.get("per_page", 30)), self.forge.page_size)
        number = int(self.query.get("page", 1))
        if number * size < len(rows):
            route = urlsplit(self.path).path
            following = f"{self.forge.url}{route}?per_page={size}&page={number + 1}"
            self.links = [("Link", f'<{following}>; rel="next"')]
        return rows[(number - 1) * size : number * size]

    def readable(self, owner: str, name: str) -> LocalRepository | None:
        """A repository, if the credential may read it."""
        found = self.forge.named(owner, name)
        return found if found and self.forge.may_read(self.secret, found) else None

    # --- git --------------------------------------------------------------------------------

    def _serve_git(self, path: str) -> None:
        owner, _, rest = path.lstrip("/").partition("/")
        name = rest.partition("/")[0].removesuffix(".git")
        found = self.readable(owner, name)
        if found is None:
            self._answer(401, b"", ("WWW-Authenticate", 'Basic realm="forge"'))
            return
        self.forge.held.wait(60)
        variables = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.forge.directory / "bare"),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path.replace(".git/", "/", 1),
            "QUERY_STRING": urlsplit(self.path).query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"],
            env=IDENTITY | variables,
            input=self.body,
            capture_output=True,
            check=False,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().splitlines() if ": " in line]
        status = next((value for key, value in headers if key == "Status"), "200")
        self._answer(int(status.split()[0]), content, *((key, value) for key, value in headers))

    # --- answers ----------------------------------------------------------------------------

    def _json(self, status: int, document: Any, *headers: tuple[str, str]) -> None:
        content = b"" if status == 204 else json.dumps(document).encode()
        self._answer(status, content, ("Content-Type", "application/json; charset=utf-8"), *headers)

    def _answer(self, status: int, content: bytes, *headers: tuple[str, str]) -> None:
        try:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):  # the client was killed
            self.close_connection = True

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""
