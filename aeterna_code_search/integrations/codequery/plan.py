"""The changes that make a vector store equal to the local files. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

# The service rejects the content itself, so a retry would fail too.
_PERMANENT_ERRORS: Final = frozenset({"unsupported_file", "invalid_file"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the vector store with this integration's attributes, and its error."""

    file_id: str
    path: str
    hash: str
    status: str = "completed"
    error_code: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether its content can be searched, now or after processing."""
        return self.status in {"completed", "in_progress"}

    @property
    def is_final(self) -> bool:
        """Whether uploading the same content again would change nothing."""
        return self.is_usable or (self.status == "failed" and self.error_code in _PERMANENT_ERRORS)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to upload; the entries that it replaces are deleted once it can be searched."""

    path: str
    hash: str
    replaces: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """An entry whose content has moved to another path."""

    entry: Entry
    path: str
    replaces: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes. `deletes`: entries of deleted files, and duplicates of a path."""

    uploads: tuple[Upload, ...] = ()
    moves: tuple[Move, ...] = ()
    deletes: tuple[Entry, ...] = ()
    unchanged: tuple[Entry, ...] = ()


def make_plan(
    local: Mapping[str, str], remote: Iterable[Entry], scope: Collection[str] | None = None
) -> Plan:
    """Compare the local {path: hash} with the entries of the store, in linear time.

    `scope`: the paths of the call, if not all; entries of other paths stay.
    """
    unchanged: dict[str, Entry] = {}
    others: list[Entry] = []
    for entry in sorted(remote, key=_rank):
        if scope is not None and entry.path not in scope:
            continue
        if local.get(entry.path) == entry.hash and entry.is_final and entry.path not in unchanged:
            unchanged[entry.path] = entry
        else:
            others.append(entry)
    pending = {path: digest for path, digest in sorted(local.items()) if path not in unchanged}
    moved = _find_moves(pending, others)
    moved_ids = {entry.file_id for entry in moved.values()}
    replaced: defaultdict[str, list[Entry]] = defaultdict(list)
    deletes = []
    for entry in others:
        if entry.file_id in moved_ids:
            continue
        if entry.path in pending:
            replaced[entry.path].append(entry)
        else:
            deletes.append(entry)
    return Plan(
        uploads=tuple(
            Upload(path, digest, tuple(replaced[path]))
            for path, digest in pending.items()
            if path not in moved
        ),
        moves=tuple(Move(entry, path, tuple(replaced[path])) for path, entry in moved.items()),
        deletes=tuple(deletes),
        unchanged=tuple(unchanged.values()),
    )


def _find_moves(pending: Mapping[str, str], others: Iterable[Entry]) -> dict[str, Entry]:
    """Map paths to entries that already have their content."""
    free: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in others:
        if entry.is_usable:
            free[entry.hash].append(entry)
    return {path: free[digest].pop() for path, digest in pending.items() if free.get(digest)}


def _rank(entry: Entry) -> tuple[int, str]:
    """Return a stable sort key; better entries come first."""
    return ("completed", "in_progress").index(entry.status) if entry.is_usable else 2, entry.file_id
