"""The stand-in itself: its repositories, its credentials and what each may read."""

import secrets
import threading
import time
from functools import cache
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from scripts.local_git import git, new_repository
from tests.listening import Listening
from tests.local_forge.apps import APP_ID
from tests.local_forge.handler import API_PATH, Handler
from tests.local_forge.repository import OWNER, OWNER_ID, LocalRepository


class JobToken(NamedTuple):
    """What the token of a job may do."""

    repository: int
    can_comment: bool


@cache
def _app_key() -> rsa.RSAPrivateKey:
    """One for all forges of a process: making it takes longer than most tests."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class LocalForge(Listening):
    """`with LocalForge(directory) as forge:` serves the API and the clones.

    `token` reads everything; tokens of the App's installation read what they were asked for. While
    `is_away`, each answer is 503; `limited` answers say that the rate limit is reached. `asked` has
    each request's method, path and kind of credential, in order.
    """

    def __init__(self, directory: Path, *, owner_type: str = "Organization") -> None:
        self.directory = directory
        self.owner_type = owner_type
        self.token = "ghp_" + secrets.token_hex(18)
        self.app_key = _app_key()
        self.installation_tokens: dict[str, set[int] | None] = {}
        self.job_tokens: dict[str, JobToken] = {}
        self.repositories: dict[int, LocalRepository] = {}
        self.page_size = 100
        self.is_away = False
        self.limited = 0
        self.asked: list[tuple[str, str, str]] = []
        self.held = threading.Event()  # clones wait until it is set
        self.held.set()
        self.writers: threading.Barrier | None = None  # so many comments are created at once
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.forge = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.api_url = f"{self.url}{API_PATH}"

    def __exit__(self, *_: object) -> None:
        self.held.set()
        super().__exit__()

    def settings(self, *, app: bool = False) -> dict[str, str]:
        """The service's environment for this forge, by its token or by its App."""
        addresses = {
            "AETERNA_GITHUB_URL": self.url,
            "AETERNA_GITHUB_API_URL": self.api_url,
            "AETERNA_GIT_NETWORKS": "127.0.0.0/8",
        }
        if app:
            return addresses | {"GITHUB_APP_ID": APP_ID, "GITHUB_APP_PRIVATE_KEY": self.app_pem()}
        return addresses | {"AETERNA_GITHUB_TOKEN": self.token}

    def app_pem(self) -> str:
        """The App's private key."""
        return self.app_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode()

    def add(
        self, name: str, files: dict[str, str | bytes] | None = None, **attributes: Any
    ) -> LocalRepository:
        """A new repository with one commit of `files`; empty without any."""
        owner, owner_id = attributes.pop("owner", OWNER), attributes.pop("owner_id", OWNER_ID)
        bare = self.directory / "bare" / owner / name
        bare.mkdir(parents=True)
        git(bare, "init", "--quiet", "--bare", "--initial-branch", "main")
        git(bare, "config", "uploadpack.allowFilter", "true")  # as GitHub does
        git(bare, "config", "uploadpack.allowAnySHA1InWant", "true")
        tree = new_repository(self.directory / "trees" / owner / name)
        git(tree, "remote", "add", "origin", str(bare))
        made = LocalRepository(owner, owner_id, name, bare, tree, **attributes)
        self.repositories[made.id] = made
        if files:
            made.commit(files)
        return made

    def job_token(self, repository: LocalRepository, *, can_comment: bool = False) -> str:
        """A token of a job of the repository, with `pull-requests: write` or without."""
        token = "ghs_" + secrets.token_hex(18)
        self.job_tokens[token] = JobToken(repository.id, can_comment)
        return token

    def kind_of(self, secret: str) -> str:
        """What a credential is: token, app, installation, job, or none."""
        if secret == self.token:
            return "token"
        if secret in self.installation_tokens:
            return "installation"
        if secret in self.job_tokens:
            return "job"
        return "app" if self._is_app(secret) else "none"

    def _is_app(self, secret: str) -> bool:
        try:
            claims = jwt.decode(secret, self.app_key.public_key(), algorithms=["RS256"])
        except jwt.InvalidTokenError:
            return False
        return bool(claims["iss"] == APP_ID and claims["exp"] - time.time() <= 600)

    def may_read(self, secret: str, repository: LocalRepository) -> bool:
        """Whether a credential reads a repository."""
        kind = self.kind_of(secret)
        if kind == "installation":
            allowed = self.installation_tokens[secret]
            return repository.owner == OWNER and (allowed is None or repository.id in allowed)
        if kind == "job" and self.job_tokens[secret].repository == repository.id:
            return True
        return kind == "token" or repository.visibility == "public"

    def named(self, owner: str, name: str) -> LocalRepository | None:
        """A repository by its name."""
        return next(
            (one for one in self.repositories.values() if (one.owner, one.name) == (owner, name)),
            None,
        )
