"""Events read from GitHub's webhook payloads, in the form in which they are stored.

Pure. A repository is identified by GitHub's id, never by its name.
https://docs.github.com/webhooks/webhook-events-and-payloads
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NoReturn

import msgspec

from central.errors import InvalidError
from indexer.forge.repositories import LARGEST_FORGE_ID
from indexer.records.refs import HEADS

_ACTION = re.compile(r"[a-z_]{1,60}\Z")
_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}\Z")
_REF = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]+\Z")  # roughly; git checked it
# With refs/heads/ before it no longer than a tracked ref may be.
_BRANCH = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]{1,244}\Z")
_URL = re.compile(r"https?://[^\x00-\x20\x7f]{1,490}\Z")
_VISIBILITIES = ("public", "internal", "private")


class _Event(msgspec.Struct, frozen=True, tag=True, tag_field="kind", forbid_unknown_fields=True):
    """An event; with the class's name as `kind` it is also the form that is stored."""


class _RepositoryEvent(_Event, frozen=True):
    owner_id: int
    repository_id: int


class Ignored(_Event, frozen=True):
    """No action follows; `reason` is the delivery's outcome."""

    owner_id: int | None
    reason: str


class Push(_RepositoryEvent, frozen=True):
    """A new commit of a branch or tag. `pushed_at` has whole seconds."""

    ref: str
    before: str
    after: str
    pushed_at: datetime


class Renamed(_RepositoryEvent, frozen=True):
    """The repository's name, address and visibility at `changed_at`, which has whole seconds.

    Earlier versions stored neither visibility nor time: such an event counts as the oldest, of a
    private repository.
    """

    name: str
    web_url: str
    visibility: str = "private"
    changed_at: datetime = datetime(1970, 1, 1, tzinfo=UTC)


class Removed(_RepositoryEvent, frozen=True):
    """The repository is deleted or, with `new_owner_id`, transferred; `owner_id` lost it."""

    new_owner_id: int | None = None


class BranchChanged(_RepositoryEvent, frozen=True):
    """The default branch is `new` and was `old`: another one, or the same renamed."""

    old: str
    new: str


class BranchDeleted(_RepositoryEvent, frozen=True):
    """The branch of this full name was deleted. `deleted_at` has whole seconds."""

    ref: str
    deleted_at: datetime


class VisibilityChanged(_RepositoryEvent, frozen=True):
    """The repository's visibility since `changed_at`, which has whole seconds."""

    visibility: str
    changed_at: datetime


class InstalledRepository(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A repository that the App may read. GitHub lists internal ones as private."""

    repository_id: int
    name: str
    is_private: bool


class Installed(_Event, frozen=True):
    """The App is installed for the owner, and may read these repositories as well."""

    owner_id: int
    installation_id: int
    repositories: tuple[InstalledRepository, ...]


class Uninstalled(_Event, frozen=True):
    """The App is no longer installed for the owner."""

    owner_id: int
    installation_id: int


class Withdrawn(_Event, frozen=True):
    """The App may no longer read these repositories of the owner."""

    owner_id: int
    installation_id: int
    repository_ids: tuple[int, ...]


Event = (
    Ignored
    | Push
    | Renamed
    | Removed
    | BranchChanged
    | BranchDeleted
    | VisibilityChanged
    | Installed
    | Uninstalled
    | Withdrawn
)


def dump_event(event: Event) -> dict[str, Any]:
    """Return the event as JSON values, to be applied later."""
    stored: dict[str, Any] = msgspec.to_builtins(event)
    return stored


def load_event(stored: Mapping[str, Any]) -> Event:
    """Read what `dump_event` of this or an earlier version wrote. Raises ValidationError."""
    event: Event = msgspec.convert(stored, Event)
    return event


def read_event(event: str, payload: Mapping[str, Any]) -> Event:
    """Read an event's payload; Ignored if the service does not handle that event.

    Raises InvalidError (`github_payload_invalid`) if a member of a handled event is malformed.
    """
    if event == "ping":
        return Ignored(_any_owner_id(payload), "pong")
    action = payload.get("action")
    if not isinstance(action, str) or not _ACTION.match(action):
        action = None
    read = _READERS.get((event, action))
    if read is None:
        what = f"{event} {action}" if action else event
        return Ignored(_any_owner_id(payload), f"ignored: nothing is made of {what} here")
    return read(payload)


# --- Reading members ----------------------------------------------------------------------------


def _find(payload: Mapping[str, Any], path: str) -> Any:
    """Return the member at a dotted path; None if it is missing."""
    value: Any = payload
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _refuse(path: str, wanted: str) -> NoReturn:
    raise InvalidError(f"payload: {path} must be {wanted}.", code="github_payload_invalid")


def _is_id(value: object) -> bool:
    return type(value) is int and 0 < value <= LARGEST_FORGE_ID


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
    return next(filter(_is_id, (_find(payload, path) for path in paths)), None)


def _of_repository(payload: Mapping[str, Any]) -> tuple[int, int]:
    return _id(payload, "repository.owner.id"), _id(payload, "repository.id")


# --- Events -------------------------------------------------------------------------------------


def _push(payload: Mapping[str, Any]) -> Event:
    owner_id, repository_id = _of_repository(payload)
    after = _text(payload, "after", _COMMIT, "a commit")
    ref = _text(payload, "ref", _REF, "a ref")
    if not after.strip("0"):
        return _ref_deleted(payload, ref)
    before = _text(payload, "before", _COMMIT, "a commit")
    pushed_at = _time(payload, "repository.pushed_at")
    return Push(owner_id, repository_id, ref, before, after, pushed_at)


def _deleted(payload: Mapping[str, Any]) -> Event:
    """Read the deletion of a branch or tag, which has a short name here, unlike in a push."""
    kind = "heads" if payload.get("ref_type") == "branch" else "tags"
    return _ref_deleted(payload, f"refs/{kind}/{_text(payload, 'ref', _REF, 'a ref')}")


def _ref_deleted(payload: Mapping[str, Any], ref: str) -> Event:
    owner_id, repository_id = _of_repository(payload)
    if not ref.startswith(HEADS):
        return Ignored(owner_id, "ignored: a tag was deleted")
    return BranchDeleted(owner_id, repository_id, ref, _time(payload, "repository.pushed_at"))


def _time(payload: Mapping[str, Any], path: str) -> datetime:
    """Read a time by GitHub's clock. Only a push has `pushed_at` as a number of seconds."""
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
    return Renamed(
        *_of_repository(payload),
        name=_text(payload, "repository.name", _NAME, "a repository's name"),
        web_url=_text(payload, "repository.html_url", _URL, "an address"),
        visibility=_visibility(payload),
        changed_at=_time(payload, "repository.updated_at"),
    )


def _transferred(payload: Mapping[str, Any]) -> Event:
    """Read a transfer, in which the repository already has its new owner."""
    new_owner_id, repository_id = _of_repository(payload)
    former = "changes.owner.from"
    kind = next((k for k in ("organization", "user") if _find(payload, f"{former}.{k}")), "user")
    return Removed(_id(payload, f"{former}.{kind}.id"), repository_id, new_owner_id)


def _edited(payload: Mapping[str, Any]) -> Event:
    owner_id, repository_id = _of_repository(payload)
    if _find(payload, "changes.default_branch") is None:
        return Ignored(owner_id, "ignored: the default branch is as it was")
    old = _text(payload, "changes.default_branch.from", _BRANCH, "a branch")
    new = _text(payload, "repository.default_branch", _BRANCH, "a branch")
    return BranchChanged(owner_id, repository_id, old, new)


def _visibility_changed(payload: Mapping[str, Any]) -> Event:
    ids, changed_at = _of_repository(payload), _time(payload, "repository.updated_at")
    return VisibilityChanged(*ids, _visibility(payload), changed_at)


def _visibility(payload: Mapping[str, Any]) -> str:
    """Read the visibility; public only if nothing in the payload denies it."""
    action, is_private = payload.get("action"), _find(payload, "repository.private")
    stated = _find(payload, "repository.visibility")
    if stated not in _VISIBILITIES:  # old servers do not send it
        is_public = action == "publicized" or (action != "privatized" and is_private is False)
        return "public" if is_public else "private"
    is_denied = is_private is True or action == "privatized"
    return "private" if stated == "public" and is_denied else str(stated)


def _installed(payload: Mapping[str, Any]) -> Event:
    path = "repositories_added" if "repositories_added" in payload else "repositories"
    return Installed(*_of_installation(payload), _repositories(payload, path))


def _repositories(payload: Mapping[str, Any], path: str) -> tuple[InstalledRepository, ...]:
    listed = _find(payload, path) or []
    if not isinstance(listed, list) or not all(isinstance(item, Mapping) for item in listed):
        _refuse(path, "a list of repositories")
    by_id = {_id(item, "id"): item for item in listed}
    return tuple(
        InstalledRepository(
            repository_id,
            _text(item, "name", _NAME, "a repository's name"),
            is_private=item.get("private") is not False,
        )
        for repository_id, item in by_id.items()
    )


def _withdrawn(payload: Mapping[str, Any]) -> Event:
    gone = _repositories(payload, "repositories_removed")
    return Withdrawn(
        *_of_installation(payload), tuple(repository.repository_id for repository in gone)
    )


def _of_installation(payload: Mapping[str, Any]) -> tuple[int, int]:
    return _id(payload, "installation.account.id"), _id(payload, "installation.id")


_READERS: dict[tuple[str, str | None], Callable[[Mapping[str, Any]], Event]] = {
    ("push", None): _push,
    ("delete", None): _deleted,
    ("repository", "renamed"): _renamed,
    ("repository", "deleted"): lambda payload: Removed(*_of_repository(payload)),
    ("repository", "transferred"): _transferred,
    ("repository", "edited"): _edited,
    ("repository", "publicized"): _visibility_changed,
    ("repository", "privatized"): _visibility_changed,
    ("installation", "created"): _installed,
    ("installation", "unsuspend"): _installed,
    ("installation", "deleted"): lambda payload: Uninstalled(*_of_installation(payload)),
    ("installation_repositories", "added"): _installed,
    ("installation_repositories", "removed"): _withdrawn,
}
