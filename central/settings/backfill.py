"""Settings of the backfill: the forge, other git hosts, their credentials, and limits."""

from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from central.settings import env

BACKFILL_REPOSITORY_BYTES: Final = 4 * 1024**3  # of a clone; AETERNA_BACKFILL_MAX_BYTES
BACKFILL_REPOSITORY_SECONDS: Final = 3_600  # to clone and index; AETERNA_BACKFILL_SECONDS
BACKFILL_LEASE_SECONDS: Final = 120  # a forge may take so long; AETERNA_BACKFILL_LEASE_SECONDS
BACKFILL_AT_ONCE: Final = 2  # repositories of the whole service; AETERNA_BACKFILL_AT_ONCE
BACKFILL_PER_HOUR: Final = 1_000  # clones of an organisation; AETERNA_BACKFILL_PER_HOUR
_GITHUB = "https://github.com"


@dataclass(frozen=True, slots=True)
class BackfillSettings:
    """What the service may clone, with which credentials, and how much of it.

    `hosts` are names with an optional port; `networks` are private ones where hosts may be;
    `directories` may be cloned by `file://`. `tokens` have `user:password` for each host.
    """

    github_url: str = _GITHUB
    github_api_url: str = "https://api.github.com"
    github_token: str = field(default="", repr=False)
    app_id: str = ""
    app_private_key: str = field(default="", repr=False)
    hosts: tuple[str, ...] = ()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    directories: tuple[Path, ...] = ()
    tokens: dict[str, str] = field(default_factory=dict, repr=False)
    ssh_key_path: str = ""
    known_hosts_path: str = ""
    service_url: str = ""
    at_once: int = BACKFILL_AT_ONCE
    per_hour: int = BACKFILL_PER_HOUR
    max_bytes: int = BACKFILL_REPOSITORY_BYTES
    max_seconds: int = BACKFILL_REPOSITORY_SECONDS
    lease_seconds: int = BACKFILL_LEASE_SECONDS


def backfill() -> BackfillSettings:
    """Read the settings. Raises ImproperlyConfigured."""
    github_url = (env.text("AETERNA_GITHUB_URL") or _GITHUB).rstrip("/")
    return BackfillSettings(
        github_url=_address("AETERNA_GITHUB_URL", github_url),
        github_api_url=_address(
            "AETERNA_GITHUB_API_URL",
            (env.text("AETERNA_GITHUB_API_URL") or _api_of(github_url)).rstrip("/"),
        ),
        github_token=env.text("AETERNA_GITHUB_TOKEN") or "",
        app_id=env.text("GITHUB_APP_ID") or "",
        app_private_key=env.text("GITHUB_APP_PRIVATE_KEY") or "",
        hosts=tuple(host.lower() for host in env.words("AETERNA_GIT_HOSTS")),
        networks=env.networks("AETERNA_GIT_NETWORKS"),
        directories=tuple(map(_directory, env.words("AETERNA_GIT_DIRECTORIES"))),
        tokens=dict(map(_token, env.words("AETERNA_GIT_TOKENS"))),
        ssh_key_path=env.text("AETERNA_GIT_SSH_KEY_PATH") or "",
        known_hosts_path=env.text("AETERNA_GIT_KNOWN_HOSTS_PATH") or "",
        service_url=(env.text("AETERNA_BACKFILL_URL") or "").rstrip("/"),
        at_once=env.number("AETERNA_BACKFILL_AT_ONCE", default=BACKFILL_AT_ONCE),
        per_hour=env.number("AETERNA_BACKFILL_PER_HOUR", default=BACKFILL_PER_HOUR),
        max_bytes=env.number("AETERNA_BACKFILL_MAX_BYTES", default=BACKFILL_REPOSITORY_BYTES),
        max_seconds=env.number("AETERNA_BACKFILL_SECONDS", default=BACKFILL_REPOSITORY_SECONDS),
        lease_seconds=env.number("AETERNA_BACKFILL_LEASE_SECONDS", default=BACKFILL_LEASE_SECONDS),
    )


def _api_of(github_url: str) -> str:
    return "https://api.github.com" if github_url == _GITHUB else f"{github_url}/api/v3"


def _address(name: str, url: str) -> str:
    """Return an address to which a credential may be sent: https, or http on this machine."""
    parts = urlsplit(url)
    is_local = parts.hostname in {"127.0.0.1", "::1", "localhost"}
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local):
        raise ImproperlyConfigured(f"{name} must be an address such as {_GITHUB}.")
    if not parts.hostname or "@" in parts.netloc:
        raise ImproperlyConfigured(f"{name} must have a host and no credential.")
    return url


def _directory(text: str) -> Path:
    path = Path(text)
    if not path.is_absolute() or path == Path("/"):
        raise ImproperlyConfigured(
            f"AETERNA_GIT_DIRECTORIES: '{text}' must be an absolute path below the root."
        )
    return path


def _token(text: str) -> tuple[str, str]:
    host, _, credential = text.partition("=")
    user, _, password = credential.partition(":")
    if not (host and user and password):
        raise ImproperlyConfigured(
            "AETERNA_GIT_TOKENS: write HOST=USER:TOKEN, such as gitlab.example.com=oauth2:…."
        )
    return host.lower(), credential
