"""Settings: the only place that reads the environment. It wins over `.codesearch.toml`."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from indexer.config.project_file import PROJECT_FILE, ProjectFile, read_project_file
from indexer.errors import ConfigurationError
from indexer.records.vectors import EmbedderConfig
from indexer.urls import central_url, service_url

_SECRETS = (
    "AETERNA_TOKEN",
    "OPENAI_API_KEY",
    "QDRANT_API_KEY",
    "GITHUB_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
)
# Of git's variables only those that say how this user reaches a remote, and where this user's
# settings are. The others, some of which git sets for its hooks, name another repository, another
# git, a program for diffs or a file to write to.
_GIT_KEPT = re.compile(
    r"GIT_(SSH|SSH_COMMAND|SSL_.+|HTTP_.+|PROXY_SSL_.+|ALLOW_PROTOCOL|PROTOCOL_FROM_USER"
    r"|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)"
    r"|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|TEST_.+)"
)
_RETRY_SECONDS = 60.0


def consume_environment() -> dict[str, str]:
    """A copy of the environment; secrets and most of git's variables are then removed from it.

    So no child process, git's helpers among them, ever sees a token. A program is looked for in
    no directory that depends on where the command is run.
    """
    environ = dict(os.environ)
    for name in environ:
        if name in _SECRETS or (name.startswith("GIT_") and not _GIT_KEPT.fullmatch(name)):
            del os.environ[name]
    directories = environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(filter(os.path.isabs, directories))
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # its threads would not survive a fork
    return environ


def read_environment() -> dict[str, str]:
    """A copy of the environment, which stays as it is: another program's process is a guest's."""
    return dict(os.environ)


@dataclass(frozen=True, slots=True)
class GitHubContext:
    """What GitHub says of the job; empty outside of it.

    `base_sha` and `head_sha` are those of the pull request that started it.
    """

    server_url: str = ""
    repository_url: str = ""
    repository_id: str = ""
    owner_id: str = ""
    event: str = ""
    run_url: str = ""
    default_branch: str = ""
    base_sha: str = ""
    head_sha: str = ""


@dataclass(frozen=True, slots=True)
class GitCredential:
    """A token that may read repositories of one server, and is for no other."""

    server_url: str
    token: str = field(repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> "GitCredential | None":
        """The job's own; None where there is none, or no server."""
        server, token = environ.get("GITHUB_SERVER_URL"), environ.get("GITHUB_TOKEN")
        return cls(server.rstrip("/"), token) if server and token else None


@dataclass(frozen=True, slots=True)
class IdTokenSource:
    """Where a job with `id-token: write` asks GitHub for an id token."""

    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The named service, organisation and project; None: not named."""

    url: str | None
    organization: str | None
    project: str | None
    from_project_file: bool = False  # only `.codesearch.toml` names the service

    @classmethod
    def load(
        cls, environ: Mapping[str, str], *, project_dir: Path, overrides: Mapping[str, str | None]
    ) -> "ServerSettings":
        """Overrides (of the command line) before environment before file.

        Raises ConfigurationError.
        """
        server = _project_file(project_dir).server

        def pick(key: str) -> str | None:
            name = f"AETERNA_{key.upper()}"
            return overrides.get(key) or environ.get(name) or server.get(key)

        url = pick("url")
        return cls(
            url and central_url(url),
            pick("organization"),
            pick("project"),
            from_project_file=not (overrides.get("url") or environ.get("AETERNA_URL")),
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run, apart from its arguments."""

    url: str
    organization: str
    project: str
    credential: str | IdTokenSource = field(repr=False)  # an API token; else keyless
    environ: Mapping[str, str] = field(repr=False)
    github: GitHubContext = GitHubContext()
    continuous_integration: bool = False
    retry_seconds: float = _RETRY_SECONDS  # how long to wait for an unavailable server

    @classmethod
    def load(
        cls,
        environ: Mapping[str, str],
        *,
        project_dir: Path,
        default_project: str,
        overrides: Mapping[str, str | None],
    ) -> "Settings":
        """Overrides as in Named; `default_project` is the repository's own name.

        Raises ConfigurationError.
        """
        named = ServerSettings.load(environ, project_dir=project_dir, overrides=overrides)
        return cls(
            url=_required(named.url, "AETERNA_URL"),
            organization=_required(named.organization, "AETERNA_ORGANIZATION"),
            project=named.project or default_project,
            credential=_credential(environ),
            environ=environ,
            github=_github(environ),
            continuous_integration=environ.get("CI", "").lower() in {"1", "true", "yes"},
            retry_seconds=_seconds(environ, "AETERNA_RETRY_SECONDS", default=_RETRY_SECONDS),
        )


def embedder_access(environ: Mapping[str, str]) -> EmbedderConfig:
    """Where embedding services are, and with which key. Raises ConfigurationError."""
    models = environ.get("AETERNA_MODELS_DIR")
    default = EmbedderConfig()
    return EmbedderConfig(
        openai_api_key=_secret(environ, "OPENAI_API_KEY") or None,
        openai_base_url=_service_url(environ, "OPENAI_BASE_URL", default.openai_base_url),
        ollama_url=_service_url(environ, "OLLAMA_URL", default.ollama_url),
        models=Path(models) if models else None,
    )


@dataclass(frozen=True, slots=True)
class DirectUploadSettings:
    """Of a client that writes points to Qdrant itself; `url` as Qdrant's own tools write it.

    Without `url` central says where; without `api_key`, which needs a `url`, it gives a token.
    """

    url: str | None = None
    api_key: str | None = field(default=None, repr=False)


def direct_settings(environ: Mapping[str, str]) -> DirectUploadSettings | None:
    """What is set for direct uploads; None: vectors travel by way of central.

    Raises ConfigurationError.
    """
    url = environ.get("QDRANT_URL", "").strip() or None
    way = environ.get("AETERNA_VECTORS") or ("direct" if url else "relay")
    if way == "relay":
        return None
    if way != "direct":
        raise ConfigurationError("AETERNA_VECTORS must be relay or direct")
    key = _secret(environ, "QDRANT_API_KEY") if url else None  # it goes where its owner says
    return DirectUploadSettings(url, key or None)


def _service_url(environ: Mapping[str, str], name: str, default: str) -> str:
    return service_url(environ.get(name, "").strip() or default, name=name, example=default)


def _project_file(directory: Path) -> ProjectFile:
    path = directory / PROJECT_FILE
    return read_project_file(path)


def _required(value: str | None, name: str) -> str:
    if value:
        return value
    raise ConfigurationError(
        f"{name} is not set; set it in the environment or in [server] of {PROJECT_FILE}"
    )


def configured_token(environ: Mapping[str, str]) -> str | None:
    """The API token that AETERNA_TOKEN is. Raises ConfigurationError."""
    token = _secret(environ, "AETERNA_TOKEN")
    if token and not (token.isascii() and token.isprintable()):  # no header may hold it
        raise ConfigurationError(
            "AETERNA_TOKEN is no token: no token has such characters, or several lines"
        )
    return token or None


def _credential(environ: Mapping[str, str]) -> str | IdTokenSource:
    """The token, or where to get one: a token that is given is used, also where there is both."""
    if token := configured_token(environ):
        return token
    url, key = (environ.get(f"ACTIONS_ID_TOKEN_REQUEST_{name}", "") for name in ("URL", "TOKEN"))
    if url and key:
        return IdTokenSource(url, key)
    hint = ""
    if environ.get("GITHUB_ACTIONS") == "true":
        hint = ", or, to do without one, give the job `permissions: id-token: write`"
    raise ConfigurationError(f"AETERNA_TOKEN is not set; set it in the environment{hint}")


def _seconds(environ: Mapping[str, str], name: str, *, default: float) -> float:
    text = environ.get(name)
    if not text:
        return default
    if not text.isdecimal():
        raise ConfigurationError(f"{name} must be a whole number of seconds, such as 60")
    return float(text)


def _secret(environ: Mapping[str, str], name: str) -> str | None:
    """`NAME`, else the content of the file that `NAME_FILE` names."""
    if environ.get(name):
        return environ[name].strip()
    path = environ.get(f"{name}_FILE")
    if not path:
        return None
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"the file that {name}_FILE names cannot be read") from exc


def _github(environ: Mapping[str, str]) -> GitHubContext:
    server = environ.get("GITHUB_SERVER_URL", "")
    repository = environ.get("GITHUB_REPOSITORY", "")
    if not (server and repository):
        return GitHubContext()
    url = f"{server}/{repository}"
    run_id = environ.get("GITHUB_RUN_ID", "")
    event = _event(environ.get("GITHUB_EVENT_PATH", ""))
    return GitHubContext(
        server_url=server,
        repository_url=url,
        repository_id=environ.get("GITHUB_REPOSITORY_ID", ""),
        owner_id=environ.get("GITHUB_REPOSITORY_OWNER_ID", ""),
        event=environ.get("GITHUB_EVENT_NAME", ""),
        run_url=f"{url}/actions/runs/{run_id}" if run_id else "",
        default_branch=_member(event, "repository", "default_branch"),
        base_sha=_member(event, "pull_request", "base", "sha"),
        head_sha=_member(event, "pull_request", "head", "sha"),
    )


def _event(path: str) -> object:
    """The event that started the job; None where there is none: git is then asked."""
    try:
        return json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _member(value: object, *keys: str) -> str:
    """A text inside of nested objects; empty if it is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
