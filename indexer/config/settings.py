"""Settings. The only module that reads the environment, which overrides `.codesearch.toml`."""

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from indexer.config.github_job import GitHubContext
from indexer.config.project_file import (
    PROJECT_FILE,
    ProjectFile,
    read_project_file,
    unknown_sentence,
)
from indexer.errors import ConfigurationError
from indexer.records.vectors import EmbedderConfig
from indexer.urls import central_url, service_url

_log = logging.getLogger(__name__)
_SECRETS = (
    "AETERNA_TOKEN",
    "OPENAI_API_KEY",
    "QDRANT_API_KEY",
    "GITHUB_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
)
# Git's variables for access to remotes and for the user's settings. The others, some of which git
# sets for its hooks, name another repository, another git, a program for diffs or an output file.
_GIT_ALLOWED = re.compile(
    r"GIT_(SSH|SSH_COMMAND|SSL_.+|HTTP_.+|PROXY_SSL_.+|ALLOW_PROTOCOL|PROTOCOL_FROM_USER"
    r"|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)"
    r"|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|TEST_.+)"
)
_RETRY_SECONDS = 60.0


def consume_environment() -> dict[str, str]:
    """Return a copy of the environment, then remove secrets and most of git's variables from it.

    No child process, such as git's helpers, can then see a token. Relative directories are removed
    from PATH, so that programs never depend on the working directory.
    """
    environ = dict(os.environ)
    for name in environ:
        if name in _SECRETS or (name.startswith("GIT_") and not _GIT_ALLOWED.fullmatch(name)):
            del os.environ[name]
    directories = environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(filter(os.path.isabs, directories))
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # its threads would not survive a fork
    return environ


def read_environment() -> dict[str, str]:
    """Return a copy of the environment without changing it, for use inside another program."""
    return dict(os.environ)


@dataclass(frozen=True, slots=True)
class GitCredential:
    """A token that may read repositories of one server and is sent to no other server."""

    server_url: str
    token: str = field(repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> "GitCredential | None":
        """Return the job's own credential; None if the token or the server is missing."""
        server, token = environ.get("GITHUB_SERVER_URL"), environ.get("GITHUB_TOKEN")
        return cls(server.rstrip("/"), token) if server and token else None


@dataclass(frozen=True, slots=True)
class IdTokenSource:
    """The endpoint from which a job with `id-token: write` requests an id token."""

    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The configured service, organisation and project; None if not configured."""

    url: str | None
    organization: str | None
    project: str | None
    from_project_file: bool = False  # only `.codesearch.toml` names the service

    @classmethod
    def load(
        cls, environ: Mapping[str, str], *, project_dir: Path, overrides: Mapping[str, str | None]
    ) -> "ServerSettings":
        """Load with the precedence: overrides (command line), environment, file.

        Raises ConfigurationError.
        """
        server = _project_file(project_dir).server

        def configured(key: str) -> str | None:
            name = f"AETERNA_{key.upper()}"
            return overrides.get(key) or environ.get(name) or server.get(key)

        url = configured("url")
        return cls(
            url and central_url(url),
            configured("organization"),
            configured("project"),
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
    github: GitHubContext = field(default_factory=GitHubContext)
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
        """Load all settings, with overrides as in ServerSettings. Raises ConfigurationError.

        `default_project` is the repository's own name.
        """
        named = ServerSettings.load(environ, project_dir=project_dir, overrides=overrides)
        return cls(
            url=_required(named.url, "AETERNA_URL"),
            organization=_required(named.organization, "AETERNA_ORGANIZATION"),
            project=named.project or default_project,
            credential=_credential(environ),
            environ=environ,
            github=GitHubContext.load(environ),
            continuous_integration=environ.get("CI", "").lower() in {"1", "true", "yes"},
            retry_seconds=_seconds(environ, "AETERNA_RETRY_SECONDS", default=_RETRY_SECONDS),
        )


def embedder_access(environ: Mapping[str, str]) -> EmbedderConfig:
    """Return the addresses and keys of embedding services. Raises ConfigurationError."""
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
    """Settings of a client that writes points to Qdrant; `url` is in the form of Qdrant's tools.

    Without `url` central provides the address. Without `api_key`, which needs a `url`, central
    provides a token. Unless they are required, a central that refuses gets the vectors.
    """

    url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    is_required: bool = True


def direct_settings(environ: Mapping[str, str]) -> DirectUploadSettings | None:
    """Return the settings of direct uploads; None if vectors are sent to central.

    Raises ConfigurationError.
    """
    url = environ.get("QDRANT_URL", "").strip() or None
    mode = environ.get("AETERNA_VECTORS", "")
    if mode not in {"", "relay", "direct"}:
        raise ConfigurationError("AETERNA_VECTORS must be relay or direct")
    if mode == "relay" or not (mode or url):
        return None
    key = _secret(environ, "QDRANT_API_KEY") if url else None  # sent to the configured URL only
    return DirectUploadSettings(url, key or None, is_required=mode == "direct")


def _service_url(environ: Mapping[str, str], name: str, default: str) -> str:
    return service_url(environ.get(name, "").strip() or default, name=name, example=default)


def _project_file(directory: Path) -> ProjectFile:
    file = read_project_file(directory / PROJECT_FILE)
    if file.unknown:
        _log.warning("%s", unknown_sentence(file.unknown))
    return file


def _required(value: str | None, name: str) -> str:
    if value:
        return value
    raise ConfigurationError(
        f"{name} is not set; set it in the environment or in [server] of {PROJECT_FILE}"
    )


def configured_token(environ: Mapping[str, str]) -> str | None:
    """Return the API token of AETERNA_TOKEN, if set. Raises ConfigurationError."""
    token = _secret(environ, "AETERNA_TOKEN")
    if token and not (token.isascii() and token.isprintable()):  # no header may hold it
        raise ConfigurationError(
            "AETERNA_TOKEN is no token: it contains line breaks or other invalid characters. Copy "
            "the token again"
        )
    return token or None


def _credential(environ: Mapping[str, str]) -> str | IdTokenSource:
    """Return the API token or the source of id tokens; a configured token takes precedence."""
    if token := configured_token(environ):
        return token
    url, key = (environ.get(f"ACTIONS_ID_TOKEN_REQUEST_{name}", "") for name in ("URL", "TOKEN"))
    if url and key:
        return IdTokenSource(url, key)
    hint = ""
    if environ.get("GITHUB_ACTIONS") == "true":
        hint = ", or give the job `permissions: id-token: write` to authenticate without one"
    raise ConfigurationError(f"AETERNA_TOKEN is not set; set it in the environment{hint}")


def _seconds(environ: Mapping[str, str], name: str, *, default: float) -> float:
    text = environ.get(name)
    if not text:
        return default
    if not text.isdecimal():
        raise ConfigurationError(f"{name} must be a whole number of seconds, such as 60")
    return float(text)


def _secret(environ: Mapping[str, str], name: str) -> str | None:
    """Return the value of `NAME`, else the content of the file that `NAME_FILE` names."""
    if environ.get(name):
        return environ[name].strip()
    path = environ.get(f"{name}_FILE")
    if not path:
        return None
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(
            f"the file that {name}_FILE names cannot be read: check its path and permissions"
        ) from exc
