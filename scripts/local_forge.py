"""GitHub as a backfill and `codesearch onboard` see it, over HTTP on loopback: the REST API with
the fields of its schema, Apps and their installation tokens, rate limits, and git's own server for
clones. For tests and benchmarks only.

https://docs.github.com/rest
"""

import itertools
import json
import os
import re
import secrets
import subprocess
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from scripts.local_git import IDENTITY, commit_all, git, new_repository

OWNER = "acme"
OWNER_ID = 9919
APP_ID = "1234"
INSTALLATION_ID = 555
_API = "/api/v3"
_CREATED = "2024-01-26T19:01:12Z"
_ids = itertools.count(74001)


@dataclass
class LocalRepository:
    """A repository of the stand-in: a bare one that is served, and a work tree that is pushed."""

    owner: str
    owner_id: int
    name: str
    bare: Path
    tree: Path
    id: int = field(default_factory=lambda: next(_ids))
    topics: list[str] = field(default_factory=list)
    archived: bool = False
    fork: bool = False
    visibility: str = "private"
    kilobytes: int = 10
    pulls: list[dict[str, Any]] = field(default_factory=list)

    def commit(self, files: dict[str, str | bytes], message: str = "Change") -> str:
        """Write files, commit and push; returns the commit."""
        for name, content in files.items():
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        commit = commit_all(self.tree, message)
        git(self.tree, "push", "--quiet", "--force", "origin", "HEAD:refs/heads/main")
        return commit

    def file_at(self, branch: str, path: str) -> str:
        """The content of a file on a branch."""
        shown = ["git", "-C", str(self.bare), "show", f"refs/heads/{branch}:{path}"]
        return subprocess.run(shown, check=True, capture_output=True, text=True).stdout

    def branches(self) -> list[str]:
        """The names of its branches."""
        return git(self.bare, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()


class LocalForge:
    """`with LocalForge(directory) as forge:` serves the API and the clones.

    `token` reads everything; tokens of the App's installation read what they were asked for. While
    `is_away`, each answer is 503; `limited` answers say that the rate limit is reached. `asked` has
    each request's method, path and kind of credential, in order.
    """

    def __init__(self, directory: Path, *, owner_type: str = "Organization") -> None:
        self.directory = directory
        self.owner_type = owner_type
        self.token = "ghp_" + secrets.token_hex(18)
        self.app_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.installation_tokens: dict[str, set[int] | None] = {}
        self.repositories: dict[int, LocalRepository] = {}
        self.page_size = 100
        self.is_away = False
        self.limited = 0
        self.asked: list[tuple[str, str, str]] = []
        self.held = threading.Event()  # clones wait until it is set
        self.held.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.forge = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.api_url = f"{self.url}{_API}"

    def __enter__(self) -> Self:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.held.set()
        self._server.shutdown()
        self._server.server_close()

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

    def kind_of(self, secret: str) -> str:
        """What a credential is: token, app, installation, or none."""
        if secret == self.token:
            return "token"
        if secret in self.installation_tokens:
            return "installation"
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
        return kind == "token" or repository.visibility == "public"

    def named(self, owner: str, name: str) -> LocalRepository | None:
        """A repository by its name."""
        return next(
            (one for one in self.repositories.values() if (one.owner, one.name) == (owner, name)),
            None,
        )


def _owner(forge: LocalForge, login: str, owner_id: int) -> dict[str, Any]:
    return {
        "login": login,
        "id": owner_id,
        "node_id": f"O_{owner_id}",
        "avatar_url": "",
        "gravatar_id": "",
        "url": f"{forge.api_url}/users/{login}",
        "html_url": f"{forge.url}/{login}",
        "type": forge.owner_type if login == OWNER else "User",
        "site_admin": False,
    }


def _document(forge: LocalForge, one: LocalRepository) -> dict[str, Any]:
    """The schema `repository` of GitHub's OpenAPI document, as far as any client looks."""
    url = f"{forge.url}/{one.owner}/{one.name}"
    return {
        "id": one.id,
        "node_id": f"R_{one.id}",
        "name": one.name,
        "full_name": f"{one.owner}/{one.name}",
        "owner": _owner(forge, one.owner, one.owner_id),
        "private": one.visibility != "public",
        "html_url": url,
        "description": None,
        "fork": one.fork,
        "url": f"{forge.api_url}/repos/{one.owner}/{one.name}",
        "clone_url": "https://elsewhere.example/never-used.git",
        "default_branch": "main",
        "size": one.kilobytes,
        "archived": one.archived,
        "disabled": False,
        "topics": one.topics,
        "visibility": one.visibility,
        "pushed_at": _CREATED,
        "created_at": _CREATED,
        "updated_at": _CREATED,
        "permissions": {"admin": False, "push": True, "pull": True},
    }


Answer = tuple[int, Any]
_Route = Callable[["_Handler", re.Match[str]], Answer]
_ROUTES: list[tuple[str, re.Pattern[str], _Route]] = []


def _route(method: str, pattern: str) -> Callable[[_Route], _Route]:
    def register(act: _Route) -> _Route:
        _ROUTES.append((method, re.compile(pattern + r"\Z"), act))
        return act

    return register


_NOT_FOUND: Answer = (404, {"message": "Not Found", "documentation_url": "", "status": "404"})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def forge(self) -> LocalForge:
        forge: LocalForge = self.server.forge  # type: ignore[attr-defined]
        return forge

    def do_GET(self) -> None:
        """An API's document, or a clone's refs."""
        self._serve()

    def do_POST(self) -> None:
        """A change, or a clone's pack."""
        self._serve()

    do_PUT = do_POST  # noqa: N815 - the name that http.server calls

    def _serve(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path
        self.secret = self._secret()
        self.forge.asked.append((self.command, path, self.forge.kind_of(self.secret)))
        if self.forge.is_away:
            self._answer(503, b"")
        elif path.startswith(f"{_API}/"):
            self._serve_api(path.removeprefix(_API))
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
        for method, pattern, act in _ROUTES:
            if method == self.command and (found := pattern.match(path)):
                self._json(*act(self, found), *self.links)
                return
        self._json(*_NOT_FOUND)

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
        content = json.dumps(document).encode()
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


# --- Owners and lists -------------------------------------------------------------------------


@_route("GET", "/users/(?P<login>[^/]+)")
def _user(handler: _Handler, found: re.Match[str]) -> Answer:
    known = {one.owner: one.owner_id for one in handler.forge.repositories.values()} | {
        OWNER: OWNER_ID
    }
    login = found["login"]
    return (200, _owner(handler.forge, login, known[login])) if login in known else _NOT_FOUND


@_route("GET", "/user")
def _me(handler: _Handler, found: re.Match[str]) -> Answer:
    del found
    login, number = ("octocat", 583231)
    if handler.forge.owner_type == "User":
        login, number = OWNER, OWNER_ID
    return 200, _owner(handler.forge, login, number)


def _of(handler: _Handler, login: str) -> list[Any]:
    rows = sorted(handler.forge.repositories.values(), key=lambda one: one.name)
    return [
        _document(handler.forge, one)
        for one in rows
        if one.owner == login and handler.forge.may_read(handler.secret, one)
    ]


@_route("GET", "/orgs/(?P<login>[^/]+)/repos")
def _organization_repositories(handler: _Handler, found: re.Match[str]) -> Answer:
    return 200, handler.page(_of(handler, found["login"]))


@_route("GET", "/user/repos")
def _own_repositories(handler: _Handler, found: re.Match[str]) -> Answer:
    del found
    return 200, handler.page(_of(handler, OWNER))


@_route("GET", "/installation/repositories")
def _installed_repositories(handler: _Handler, found: re.Match[str]) -> Answer:
    del found
    if handler.forge.kind_of(handler.secret) != "installation":
        return 403, {"message": "You must authenticate with an installation access token"}
    rows = _of(handler, OWNER)
    return 200, {
        "total_count": len(rows),
        "repository_selection": "all",
        "repositories": handler.page(rows),
    }


@_route("GET", "/repositories/(?P<id>[0-9]+)")
def _repository_by_id(handler: _Handler, found: re.Match[str]) -> Answer:
    one = handler.forge.repositories.get(int(found["id"]))
    if one is None or not handler.forge.may_read(handler.secret, one):
        return _NOT_FOUND
    return 200, _document(handler.forge, one)


@_route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)")
def _repository(handler: _Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    return (200, _document(handler.forge, one)) if one else _NOT_FOUND


# --- Apps -------------------------------------------------------------------------------------


@_route("GET", "/(?P<kind>orgs|users)/(?P<login>[^/]+)/installation")
def _installation(handler: _Handler, found: re.Match[str]) -> Answer:
    if handler.forge.kind_of(handler.secret) != "app":
        return 401, {"message": "A JSON web token could not be decoded"}
    is_organization = handler.forge.owner_type == "Organization"
    if found["login"] != OWNER or (found["kind"] == "orgs") != is_organization:
        return _NOT_FOUND
    return 200, {
        "id": INSTALLATION_ID,
        "account": _owner(handler.forge, OWNER, OWNER_ID),
        "repository_selection": "all",
        "app_id": int(APP_ID),
        "target_type": handler.forge.owner_type,
        "permissions": {"contents": "read", "metadata": "read"},
        "events": ["push"],
    }


@_route("POST", "/app/installations/(?P<id>[0-9]+)/access_tokens")
def _access_token(handler: _Handler, found: re.Match[str]) -> Answer:
    if handler.forge.kind_of(handler.secret) != "app" or int(found["id"]) != INSTALLATION_ID:
        return 401, {"message": "A JSON web token could not be decoded"}
    asked = json.loads(handler.body or b"{}")
    token = "ghs_" + secrets.token_hex(18)
    ids = asked.get("repository_ids")
    handler.forge.installation_tokens[token] = None if ids is None else set(ids)
    return 201, {
        "token": token,
        "expires_at": _CREATED,
        "permissions": asked.get("permissions", {}),
        "repository_selection": "all" if ids is None else "selected",
    }


# --- Contents, branches and pull requests -----------------------------------------------------


@_route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/contents/(?P<path>.+)")
def _contents(handler: _Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    path = unquote(found["path"])
    if one is None or not one.branches():
        return _NOT_FOUND
    ref = handler.query.get("ref", "main")
    if ref not in one.branches():
        return 404, {"message": f"No commit found for the ref {ref}"}
    listed = git(one.bare, "ls-tree", f"refs/heads/{ref}", path.rstrip("/"))
    if not listed:
        return _NOT_FOUND
    if listed.split()[1] == "tree":
        names = git(one.bare, "ls-tree", "--name-only", f"refs/heads/{ref}", f"{path}/")
        return 200, [
            {"type": "file", "name": Path(name).name, "path": name, "size": 1, "sha": "0" * 40}
            for name in names.splitlines()
        ]
    content = one.file_at(ref, path).encode()
    return 200, {
        "type": "file",
        "encoding": "base64",
        "size": len(content),
        "name": Path(path).name,
        "path": path,
        "sha": listed.split()[2],
        "content": b64encode(content).decode(),
    }


@_route("PUT", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/contents/(?P<path>.+)")
def _write(handler: _Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    asked = json.loads(handler.body)
    if one is None or one.archived:
        return 403, {"message": "Repository was archived so is read-only."}
    branch, path = asked["branch"], unquote(found["path"])
    known = git(one.bare, "ls-tree", f"refs/heads/{branch}", path)
    if known and asked.get("sha") != known.split()[2]:
        return 422, {"message": 'Invalid request.\n\n"sha" wasn\'t supplied.'}
    git(one.tree, "fetch", "--quiet", "origin")
    git(one.tree, "switch", "--quiet", "--force-create", "work", f"refs/remotes/origin/{branch}")
    file = one.tree / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b64decode(asked["content"]))
    commit = commit_all(one.tree, asked["message"])
    git(one.tree, "push", "--quiet", "origin", f"work:refs/heads/{branch}")
    git(one.tree, "switch", "--quiet", "main")
    return 201, {"content": {"path": path}, "commit": {"sha": commit, "message": asked["message"]}}


@_route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/git/ref/heads/(?P<branch>.+)")
def _ref(handler: _Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    branch = unquote(found["branch"])
    if one is None or branch not in one.branches():
        return _NOT_FOUND
    sha = git(one.bare, "rev-parse", f"refs/heads/{branch}")
    return 200, {"ref": f"refs/heads/{branch}", "object": {"type": "commit", "sha": sha}}


@_route("POST", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/git/refs")
def _create_ref(handler: _Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    asked = json.loads(handler.body)
    if one is None:
        return _NOT_FOUND
    if asked["ref"].removeprefix("refs/heads/") in one.branches():
        return 422, {"message": "Reference already exists"}
    git(one.bare, "update-ref", asked["ref"], asked["sha"])
    return 201, {"ref": asked["ref"], "object": {"type": "commit", "sha": asked["sha"]}}


@_route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/pulls")
def _pulls(handler: _Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    if one is None:
        return _NOT_FOUND
    head, state = handler.query.get("head"), handler.query.get("state", "open")
    return 200, [
        pull
        for pull in one.pulls
        if (head is None or pull["head"]["label"] == head) and state in {"all", pull["state"]}
    ]


@_route("POST", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/pulls")
def _open_pull(handler: _Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    asked = json.loads(handler.body)
    if one is None:
        return _NOT_FOUND
    if any(p["head"]["ref"] == asked["head"] and p["state"] == "open" for p in one.pulls):
        return 422, {"message": "Validation Failed"}
    number = len(one.pulls) + 1
    pull = {
        "number": number,
        "state": "open",
        "title": asked["title"],
        "body": asked.get("body"),
        "merged_at": None,
        "html_url": f"{handler.forge.url}/{one.owner}/{one.name}/pull/{number}",
        "head": {"ref": asked["head"], "label": f"{one.owner}:{asked['head']}"},
        "base": {"ref": asked["base"]},
        "id": int(sha1(f"{one.id}/{number}".encode(), usedforsecurity=False).hexdigest()[:8], 16),
    }
    one.pulls.append(pull)
    return 201, pull
