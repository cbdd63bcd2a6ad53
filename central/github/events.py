"""GitHub's webhook payloads → what they say, as records. Pure; names identify nothing here.

https://docs.github.com/webhooks/webhook-events-and-payloads
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from central.errors import InvalidError

_BIGINT = 2**63 - 1
_ACTION = re.compile(r"[a-z_]{1,60}\Z")
_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}\Z")
_REF = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]+\Z")  # roughly; git checked it
# With refs/heads/ before it no longer than a tracked ref may be.
_BRANCH = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]{1,244}\Z")
_URL = re.compile(r"https?://[^\x00-\x20\x7f]{1,490}\Z")
_VISIBILITIES = ("public", "internal", "private")


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing to do; `reason` is told."""

    owner_id: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Push:
    """A branch's or tag's new commit. `pushed_at` has whole seconds."""

    owner_id: int
    repository_id: int
    ref: str
    before: str
    after: str
    pushed_at: datetime


@dataclass(frozen=True, slots=True)
class Renamed:
    """The repository's name, address and visibility at `changed_at`, which has whole seconds.

    An event that an earlier version stored says neither: it then counts as the oldest, of a
    private repository.
    """

    owner_id: int
    repository_id: int
    name: str
    web_url: str
    visibility: str = "private"
    changed_at: datetime = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Removed:
    """The repository is deleted, or, with `new_owner_id`, somebody else's; `owner_id` lost it."""

    owner_id: int
    repository_id: int
    new_owner_id: int | None = None


@dataclass(frozen=True, slots=True)
class BranchChanged:
    """The default branch is `new` and was `old`: another one, or the same renamed."""

    owner_id: int
    repository_id: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class VisibilityChanged:
    """Who may see the repository. `changed_at` has whole seconds."""

    owner_id: int
    repository_id: int
    visibility: str
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class InstalledRepository:
    """A repository that the App may see. GitHub tells internal ones as private here."""

    repository_id: int
    name: str
    is_private: bool


@dataclass(frozen=True, slots=True)
class Installed:
    """The App is installed for the owner, and may see these repositories as well."""

    owner_id: int
    installation_id: int
    repositories: tuple[InstalledRepository, ...]


@dataclass(frozen=True, slots=True)
class Uninstalled:
    """The App is no longer installed for the owner."""

    owner_id: int
    installation_id: int


Event = (
    Ignored | Push | Renamed | Removed | BranchChanged | VisibilityChanged | Installed | Uninstalled
)


def read_event(event: str, payload: Mapping[str, Any]) -> Event:
    """What the payload of an event says; Ignored for what nothing is made of here.

    Raises InvalidError (`github_payload_invalid`) where an event that is understood lacks what
    GitHub says it has.
    """
    if event == "ping":
        return Ignored(_any_owner_id(payload), "pong")
    told = payload.get("action")
    action = told if isinstance(told, str) and _ACTION.match(told) else None
    read = _READERS.get((event, action))
    if read is None:
        what = f"{event} {action}" if action else event
        return Ignored(_any_owner_id(payload), f"ignored: nothing is made of {what} here")
    return read(payload)


# --- Reading members ----------------------------------------------------------------------------


def _find(payload: Mapping[str, Any], path: str) -> Any:
    """The member at a path of names with dots between them; None if it is not there."""
    value: Any = payload
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _refuse(path: str, wanted: str) -> NoReturn:
    raise InvalidError(f"payload: {path} must be {wanted}.", code="github_payload_invalid")


def _is_id(value: object) -> bool:
    return type(value) is int and 0 < value <= _BIGINT


def _id(payload: Mapping[str, Any], path: str) -> int:
    value = _find(payload, path)
    if not _is_id(value):
        _refuse(path, "a positive whole number")
    return int(value)


def _text(payload: Mapping[str, Any], path: str, pattern: re.Pattern[str], wanted: str) -> str:
    value = _find(payload, path)
    if not isinstance(value, str) or not pattern.match(value):
        _refuse(path, wanted)
    return value


def _any_owner_id(payload: Mapping[str, Any]) -> int | None:
    paths = ("repository.owner.id", "organization.id", "installation.account.id")
    found = (_find(payload, path) for path in paths)
    return next((value for value in found if _is_id(value)), None)


def _of_repository(payload: Mapping[str, Any]) -> tuple[int, int]:
    return _id(payload, "repository.owner.id"), _id(payload, "repository.id")


# --- Events -------------------------------------------------------------------------------------


def _push(payload: Mapping[str, Any]) -> Event:
    owner_id, repository_id = _of_repository(payload)
    after = _text(payload, "after", _COMMIT, "a commit")
    if not after.strip("0"):
        return Ignored(owner_id, "ignored: the ref was deleted")
    return Push(
        owner_id=owner_id,
        repository_id=repository_id,
        ref=_text(payload, "ref", _REF, "a ref"),
        before=_text(payload, "before", _COMMIT, "a commit"),
        after=after,
        pushed_at=_time(payload, "repository.pushed_at"),
    )


def _time(payload: Mapping[str, Any], path: str) -> datetime:
    """By GitHub's clock. In a push `pushed_at` is a number of seconds, unlike everywhere else."""
    value = _find(payload, path)
    try:
        if type(value) is int:
            return datetime.fromtimestamp(value, UTC)
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError
        return moment.astimezone(UTC).replace(microsecond=0)
    except (TypeError, ValueError, OverflowError, OSError):
        _refuse(path, "a time with its zone")


def _renamed(payload: Mapping[str, Any]) -> Event:
    owner_id, repository_id = _of_repository(payload)
    return Renamed(
        owner_id=owner_id,
        repository_id=repository_id,
        name=_text(payload, "repository.name", _NAME, "a repository's name"),
        web_url=_text(payload, "repository.html_url", _URL, "an address"),
        visibility=_visibility(payload),
        changed_at=_time(payload, "repository.updated_at"),
    )


def _deleted(payload: Mapping[str, Any]) -> Event:
    return Removed(*_of_repository(payload))


def _transferred(payload: Mapping[str, Any]) -> Event:
    """The repository is told as its new owner's already."""
    new_owner_id, repository_id = _of_repository(payload)
    former = "changes.owner.from"
    kind = next((k for k in ("organization", "user") if _find(payload, f"{former}.{k}")), "user")
    return Removed(_id(payload, f"{former}.{kind}.id"), repository_id, new_owner_id)


def _edited(payload: Mapping[str, Any]) -> Event:
    owner_id, repository_id = _of_repository(payload)
    if _find(payload, "changes.default_branch") is None:
        return Ignored(owner_id, "ignored: the default branch is as it was")
    old, new = (
        _text(payload, path, _BRANCH, "a branch")
        for path in ("changes.default_branch.from", "repository.default_branch")
    )
    return BranchChanged(owner_id, repository_id, old, new)


def _visibility_changed(payload: Mapping[str, Any]) -> Event:
    owner_id, repository_id = _of_repository(payload)
    changed_at = _time(payload, "repository.updated_at")
    return VisibilityChanged(owner_id, repository_id, _visibility(payload), changed_at)


def _visibility(payload: Mapping[str, Any]) -> str:
    """As the repository is told. What does not say so clearly is not public."""
    action, told, is_private = (
        _find(payload, path) for path in ("action", "repository.visibility", "repository.private")
    )
    if told not in _VISIBILITIES:  # old servers do not tell it
        is_public = action == "publicized" or (action != "privatized" and is_private is False)
        return "public" if is_public else "private"
    is_denied = is_private is True or action == "privatized"
    return "private" if told == "public" and is_denied else str(told)


def _installed(payload: Mapping[str, Any]) -> Event:
    return Installed(
        owner_id=_id(payload, "installation.account.id"),
        installation_id=_id(payload, "installation.id"),
        repositories=_repositories(
            payload, "repositories_added" if "repositories_added" in payload else "repositories"
        ),
    )


def _repositories(payload: Mapping[str, Any], path: str) -> tuple[InstalledRepository, ...]:
    listed = _find(payload, path) or []
    if not isinstance(listed, list) or not all(isinstance(item, Mapping) for item in listed):
        _refuse(path, "a list of repositories")
    by_id = {_id(item, "id"): item for item in listed}
    return tuple(
        InstalledRepository(
            repository_id=repository_id,
            name=_text(item, "name", _NAME, "a repository's name"),
            is_private=item.get("private") is not False,
        )
        for repository_id, item in by_id.items()
    )


def _uninstalled(payload: Mapping[str, Any]) -> Event:
    return Uninstalled(
        owner_id=_id(payload, "installation.account.id"),
        installation_id=_id(payload, "installation.id"),
    )


_READERS: dict[tuple[str, str | None], Callable[[Mapping[str, Any]], Event]] = {
    ("push", None): _push,
    ("repository", "renamed"): _renamed,
    ("repository", "deleted"): _deleted,
    ("repository", "transferred"): _transferred,
    ("repository", "edited"): _edited,
    ("repository", "publicized"): _visibility_changed,
    ("repository", "privatized"): _visibility_changed,
    ("installation", "created"): _installed,
    ("installation", "unsuspend"): _installed,
    ("installation", "deleted"): _uninstalled,
    ("installation_repositories", "added"): _installed,
}
