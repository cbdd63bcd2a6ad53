"""Addresses that may be cloned, and their hosts' IP addresses, checked before git connects.

A host is on the operator's list, its addresses are public or in one of the operator's networks,
and git connects to exactly those: a name that resolves to another address later changes nothing.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from central.errors import InvalidError
from central.hosts import PrivateAddressError, resolve_host
from central.settings.backfill import BackfillSettings

_SCP = re.compile(r"(?P<user>[A-Za-z0-9._-]+)@(?P<host>[A-Za-z0-9.-]+):(?P<path>[^/].*)")
_PORTS = {"https": 443, "http": 80, "ssh": 22}
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\Z")
_LONGEST = 500
_NEVER = frozenset(' "\\')
_NOT_OF_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True, slots=True)
class CloneAddress:
    """A checked address. `host` is "" for a directory; `ips` are those that git may connect to."""

    url: str
    scheme: str
    host: str = ""
    port: int = 0
    ips: tuple[str, ...] = ()

    @property
    def server(self) -> str:
        """The address without its path."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def is_local(self) -> bool:
        """Whether the host is this machine, to which http:// is allowed."""
        return self.host in {"127.0.0.1", "localhost"}

    @property
    def host_key(self) -> str:
        """The host as AETERNA_GIT_HOSTS and AETERNA_GIT_TOKENS write it."""
        is_usual = self.port == _PORTS.get(self.scheme)
        return self.host if is_usual else f"{self.host}:{self.port}"


def parse_address(text: str, settings: BackfillSettings) -> CloneAddress:
    """Check an address without resolving it. Raises InvalidError (`git_address_refused`)."""
    if scp := _SCP.fullmatch(text):
        text = f"ssh://{scp['user']}@{scp['host']}/{scp['path']}"
    if not text.isprintable() or len(text) > _LONGEST or not _NEVER.isdisjoint(text):
        raise _refused(
            f"An address has at most {_LONGEST} printable characters; no space, quote or backslash."
        )
    try:
        parts = urlsplit(text)
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError as exc:
        raise _refused("It is no address; write https://host/group/repository.") from exc
    if parts.query or parts.fragment or parts.password or parts.port == 0:
        raise _refused("An address has no credential, query or fragment, and no port 0.")
    _check_path(unquote(parts.path))
    if parts.scheme == "file":
        return _directory(text, parts.netloc, parts.path, settings)
    if parts.scheme not in _PORTS:
        raise _refused("Only https:// and ssh:// addresses are cloned.")
    _check_user(parts.scheme, parts.username)
    address = CloneAddress(text.rstrip("/"), parts.scheme, (parts.hostname or "").lower(), port)
    _check_host(address, settings)
    return address


def _check_path(path: str) -> None:
    segments = path.removeprefix("/").rstrip("/").split("/")
    if not segments[-1] or any(part in {"", ".", ".."} or part[0] == "-" for part in segments):
        raise _refused("The address's path must name a repository, without '..'.")


def _check_user(scheme: str, user: str | None) -> None:
    if user is None:
        return
    if scheme != "ssh" or not _USER.match(user):
        raise _refused("Only an ssh address may name a user, such as git.")


def _check_host(address: CloneAddress, settings: BackfillSettings) -> None:
    own = urlsplit(settings.github_url)
    is_github = address.server.lower() == f"{own.scheme}://{own.netloc}".lower()
    if not is_github and address.host_key not in settings.hosts:
        raise _refused(
            f"The host {address.host_key[:100]} is not among those that the operator allows "
            "(AETERNA_GIT_HOSTS)."
        )
    if address.scheme == "http" and not address.is_local:
        raise _refused("http:// is not cloned: use https://.")


def _directory(text: str, host: str, path: str, settings: BackfillSettings) -> CloneAddress:
    """Accept a directory that the operator names; links that lead out of it do not count."""
    directory = Path(unquote(path)).resolve()
    if host or not any(directory.is_relative_to(path.resolve()) for path in settings.directories):
        raise _refused(
            "file:// is only cloned below a directory that the operator names "
            "(AETERNA_GIT_DIRECTORIES)."
        )
    return CloneAddress(text.rstrip("/"), "file")


def resolve(address: CloneAddress, settings: BackfillSettings) -> CloneAddress:
    """Return the address with its host's IP addresses.

    Behind the operator's proxy, which resolves names itself, there are none. Raises InvalidError
    (`git_address_refused`) for a private one, UnavailableError for a name without any.
    """
    if address.scheme == "file":
        return address
    try:
        ips = resolve_host(
            address.host, address.port, scheme=address.scheme, networks=settings.networks
        )
    except PrivateAddressError as exc:
        raise _refused(
            f"The host {address.host} has a private address. An operator can allow its network "
            "(AETERNA_GIT_NETWORKS)."
        ) from exc
    return replace(address, ips=ips)


def project_name(url: str, *, segments: int = 1) -> str:
    """Return a project's name from the last segments of an address."""
    path = unquote(urlsplit(url).path).strip("/").removesuffix(".git")
    name = "-".join(path.split("/")[-segments:])
    return _NOT_OF_A_NAME.sub("-", name)[-100:].lstrip("-") or "repository"


def _refused(message: str) -> InvalidError:
    return InvalidError(message, code="git_address_refused")
