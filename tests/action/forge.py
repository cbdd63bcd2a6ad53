"""A forge on loopback: bare repositories over https by git's own server, and checkouts of them.

Cloning needs the token that a job gets, so a step without a credential is a step without history.
"""

import datetime
import ipaddress
import itertools
import os
import ssl
import subprocess
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from scripts.local_git import IDENTITY, commit_all, git, new_repository
from tests.listening import Listening

ADDRESS = "127.0.0.1"
JOB_TOKEN = "ghs_" + "0a1B2c" * 6  # what `github.token` is
BRANCH = "refs/heads/main"
_ids = itertools.count(74001)


class Forge(Listening):
    """`with Forge(directory) as forge:` serves the bare repositories below the directory.

    While `is_away`, every answer is 503.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.is_away = False
        self.certificate = _certificate(directory)
        self._server = ThreadingHTTPServer((ADDRESS, 0), _Handler)
        self._server.forge = self  # type: ignore[attr-defined]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://{ADDRESS}:{self._server.server_port}"


class Remote:
    """One repository of the forge, with its id, and the work tree of somebody who pushes to it."""

    def __init__(self, forge: Forge, name: str) -> None:
        self.forge = forge
        self.name = name
        self.id = next(_ids)
        self.url = f"{forge.url}/{name}"
        self._bare = forge.directory / name
        git(forge.directory, "init", "--quiet", "--bare", "--initial-branch", "main", name)
        git(self._bare, "config", "uploadpack.allowAnySHA1InWant", "true")  # as GitHub does
        self.tree = new_repository(forge.directory / "trees" / name)
        git(self.tree, "remote", "add", "origin", str(self._bare))

    def commit(self, files: dict[str, str | None], message: str = "Change") -> str:
        """Write (None: delete) files, commit and push; returns the commit."""
        for name, content in files.items():
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_text(content, encoding="utf-8")
        commit = commit_all(self.tree, message)
        self.push()
        return commit

    def propose(self, files: dict[str, str]) -> str:
        """A commit on another branch than `main`; returns it."""
        git(self.tree, "switch", "--quiet", "--create", "proposal")
        for name, content in files.items():
            (self.tree / name).write_text(content, encoding="utf-8")
        commit = commit_all(self.tree, "Propose")
        git(self.tree, "push", "--quiet", "origin", "proposal")
        git(self.tree, "switch", "--quiet", "main")
        return commit

    def rewind(self, commits: int) -> None:
        """Take the last commits back, here; the next push rewrites history."""
        git(self.tree, "reset", "--quiet", "--hard", f"HEAD~{commits}")

    def push(self) -> None:
        """Make the branch at the forge what it is here."""
        git(self.tree, "push", "--quiet", "--force", "origin", f"HEAD:{BRANCH}")

    def head(self) -> str:
        """The tip of the branch."""
        return git(self._bare, "rev-parse", BRANCH)

    def check_out(
        self,
        directory: Path,
        commit: str | None = None,
        *,
        depth: int = 0,
        persist: bool = False,
        detach: bool = False,
    ) -> Path:
        """What actions/checkout leaves behind: `depth` 0 is all history; no credential is kept.

        `detach`: what it leaves if its input `ref` is a commit, a tag or a pull request.
        """
        commit = commit or self.head()
        header = f"AUTHORIZATION: basic {_basic(JOB_TOKEN)}"
        kept = f"http.{self.forge.url}/.extraheader"
        config = ("-c", f"http.sslCAInfo={self.forge.certificate}", "-c", f"{kept}={header}")
        limit = [f"--depth={depth}", "--no-tags"] if depth else ["--tags"]
        tips = [f"+{commit}:refs/remotes/origin/main"]
        tips += [] if depth else ["+refs/heads/*:refs/remotes/origin/*"]
        new_repository(directory)
        git(directory, "remote", "add", "origin", self.url)
        for tip in reversed(tips):  # the job's own commit last: the branch may have moved on
            git(directory, *config, "fetch", "--quiet", "--prune", *limit, "origin", tip)
        branch = ("--detach",) if detach else ("-B", "main")
        git(directory, "checkout", "--quiet", "--force", *branch, "refs/remotes/origin/main")
        if persist:
            git(directory, "config", kept, header)
        return directory


def _basic(token: str) -> str:
    return b64encode(f"x-access-token:{token}".encode()).decode()


def _certificate(directory: Path) -> Path:
    """A certificate of the loopback address with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, ADDRESS)])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(ADDRESS))]), False
        )
        .sign(key, hashes.SHA256())
    )
    path = directory / "certificate.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


class _Handler(BaseHTTPRequestHandler):
    """The CGI protocol of `git http-backend`."""

    @property
    def _forge(self) -> Forge:
        forge: Forge = self.server.forge  # type: ignore[attr-defined]
        return forge

    def do_GET(self) -> None:
        """Refs, or a refusal."""
        self._serve(b"")

    def do_POST(self) -> None:
        """A negotiation and a pack."""
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _serve(self, body: bytes) -> None:
        if self._forge.is_away:
            self._answer(503)
        elif self.headers.get("Authorization", "").partition(" ")[2] != _basic(JOB_TOKEN):
            self._answer(401, ("WWW-Authenticate", 'Basic realm="forge"'))
        else:
            self._run_git(body)

    def _run_git(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        variables = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self._forge.directory),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"],
            env=IDENTITY | variables,
            input=body,
            capture_output=True,
            check=True,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().splitlines()]
        status = next((value for name, value in headers if name == "Status"), "200")
        self._answer(int(status.split()[0]), *((n, v) for n, v in headers), content=content)

    def _answer(self, status: int, *headers: tuple[str, str], content: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""
