"""Repositories and owners as GitHub's API describes them, checked where they are read."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from indexer.errors import ForgeError
from indexer.forge.api import GitHubApi

_NAME: Final = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9_.-]{1,100}\Z")
_LOGIN: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98})\Z")
_BRANCH: Final = re.compile(r"(?!-)[^\x00-\x20\x7f~^:?*\[\\]{1,244}\Z")
LARGEST_FORGE_ID: Final = 2**40 - 1  # of a repository or an owner
_VISIBILITIES: Final = ("public", "internal", "private")


@dataclass(frozen=True, slots=True)
class Owner:
    """An organisation or a user at the forge."""

    id: int
    login: str
    is_organization: bool


@dataclass(frozen=True, slots=True)
class ForgeRepository:
    """A repository at the forge. `kilobytes` is its size as the forge estimates it.

    `default_branch` is "" if the forge does not say it.
    """

    id: int
    owner_id: int
    owner: str
    name: str
    default_branch: str
    visibility: str
    archived: bool = False
    fork: bool = False
    kilobytes: int = 0
    topics: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """The owner and the name."""
        return f"{self.owner}/{self.name}"


def is_login(text: str) -> bool:
    """Whether `text` may be the name of an owner."""
    return bool(_LOGIN.match(text))


def find_owner(api: GitHubApi, login: str) -> Owner:
    """Return an organisation or a user by its name. Raises ForgeError."""
    if not is_login(login):
        raise ForgeError(f"'{login[:100]}' is no name of an owner at the forge.")
    found = api.find(f"users/{login}")
    if found is None:
        raise ForgeError(f"The forge has no organisation or user '{login}'.", status=404)
    return read_owner(found)


def read_owner(row: Any) -> Owner:
    """Read an account. Raises ForgeError for another kind, such as an enterprise."""
    number, login = _id(row, "id"), _text(row, "login", _LOGIN)
    return Owner(number, login, row.get("type") == "Organization")


def list_repositories(api: GitHubApi, owner: Owner) -> Iterator[ForgeRepository]:
    """Yield the owner's repositories that the token may read. Raises ForgeError.

    Of a user, private ones are listed only if the token is the user's own.
    """
    for row in _rows(api, owner):
        repository = read_repository(row)
        if repository.owner_id == owner.id:
            yield repository


def _rows(api: GitHubApi, owner: Owner) -> Iterator[dict[str, Any]]:
    if owner.is_organization:
        return api.pages(f"orgs/{owner.login}/repos", type="all", sort="full_name")
    me = api.find("user")
    if isinstance(me, Mapping) and me.get("id") == owner.id:
        return api.pages("user/repos", affiliation="owner", sort="full_name")
    return api.pages(f"users/{owner.login}/repos", type="owner", sort="full_name")


def list_installed(api: GitHubApi, owner_id: int) -> Iterator[ForgeRepository]:
    """Yield the repositories that an App's installation may read. Raises ForgeError."""
    for row in api.pages("installation/repositories", key="repositories"):
        repository = read_repository(row)
        if repository.owner_id == owner_id:
            yield repository


def find_repository(api: GitHubApi, repository_id: int) -> ForgeRepository | None:
    """Return a repository by its id, which outlives its name; None if it is not visible."""
    found = api.find(f"repositories/{repository_id}")
    return None if found is None else read_repository(found)


def read_repository(row: Any) -> ForgeRepository:
    """Read a repository. Raises ForgeError for one of an unknown form."""
    if not isinstance(row, Mapping):
        raise ForgeError("The forge described a repository in an unknown form.")
    owner = row.get("owner")
    topics = row.get("topics")
    return ForgeRepository(
        id=_id(row, "id"),
        owner_id=_id(owner, "id"),
        owner=_text(owner, "login", _LOGIN),
        name=_text(row, "name", _NAME),
        default_branch=_text(row, "default_branch", _BRANCH) if row.get("default_branch") else "",
        visibility=_visibility(row),
        archived=row.get("archived") is True,
        fork=row.get("fork") is True,
        kilobytes=size if type(size := row.get("size")) is int and size > 0 else 0,
        topics=tuple(t for t in topics if isinstance(t, str)) if isinstance(topics, list) else (),
    )


def _visibility(row: Mapping[str, Any]) -> str:
    """Return the visibility; public only if nothing denies it."""
    stated, is_private = row.get("visibility"), row.get("private")
    if stated not in _VISIBILITIES:
        return "public" if is_private is False else "private"
    return "private" if stated == "public" and is_private is not False else str(stated)


def _id(row: Any, name: str) -> int:
    value = row.get(name) if isinstance(row, Mapping) else None
    if type(value) is not int or not 0 < value <= LARGEST_FORGE_ID:
        raise ForgeError(f"The forge named no {name} of an owner or a repository.")
    return value


def _text(row: Any, name: str, pattern: re.Pattern[str]) -> str:
    value = row.get(name) if isinstance(row, Mapping) else None
    if not isinstance(value, str) or not pattern.match(value):
        raise ForgeError(f"The forge described an owner or a repository with an unusable {name}.")
    return value
