"""What makes a vector store the same as the files here. A pure function of both."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

# The service refused the content itself: it would refuse it again.
_FOR_GOOD: Final = frozenset({"unsupported_file", "invalid_file"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the vector store that has our attributes; `error_code` if it could not be read."""

    file_id: str
    path: str
    hash: str
    status: str = "completed"
    error_code: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether it stands for its content: it can be searched, or will be."""
        return self.status in {"completed", "in_progress"}

    @property
    def is_kept(self) -> bool:
        """Whether nothing is won by uploading the same content again."""
        return self.is_usable or (self.status == "failed" and self.error_code in _FOR_GOOD)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to be uploaded; entries that it replaces are deleted once it can be searched."""

    path: str
    hash: str
    replaces: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """An entry whose content is now at another path."""

    entry: Entry
    path: str
    replaces: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """`deletes`: entries of files that are gone, and second ones of the same path."""

    uploads: tuple[Upload, ...] = ()
    moves: tuple[Move, ...] = ()
    deletes: tuple[Entry, ...] = ()
    kept: tuple[Entry, ...] = ()


def plan_of(
    local: Mapping[str, str], remote: Iterable[Entry], scope: Collection[str] | None = None
) -> Plan:
    """From {path: hash} here, and what the store has; linear in both.

    `scope`: the paths that the call is about, if not all; entries of others stay as they are.
    """
    kept: dict[str, Entry] = {}
    others: list[Entry] = []
    for entry in sorted(remote, key=_rank):
        if scope is not None and entry.path not in scope:
            continue
        if local.get(entry.path) == entry.hash and entry.is_kept and entry.path not in kept:
            kept[entry.path] = entry
        else:
            others.append(entry)
    wanted = {path: digest for path, digest in sorted(local.items()) if path not in kept}
    moved = _moved(wanted, others)
    taken = {entry.file_id for entry in moved.values()}
    replaced: defaultdict[str, list[Entry]] = defaultdict(list)
    deletes = []
    for entry in others:
        if entry.file_id in taken:
            continue
        if entry.path in wanted:
            replaced[entry.path].append(entry)
        else:
            deletes.append(entry)
    return Plan(
        uploads=tuple(
            Upload(path, digest, tuple(replaced[path]))
            for path, digest in wanted.items()
            if path not in moved
        ),
        moves=tuple(Move(entry, path, tuple(replaced[path])) for path, entry in moved.items()),
        deletes=tuple(deletes),
        kept=tuple(kept.values()),
    )


def _moved(wanted: Mapping[str, str], others: Iterable[Entry]) -> dict[str, Entry]:
    """By path, the entry that has the content which is wanted there."""
    free: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in others:
        if entry.is_usable:
            free[entry.hash].append(entry)
    return {path: free[digest].pop() for path, digest in wanted.items() if free.get(digest)}


def _rank(entry: Entry) -> tuple[int, str]:
    """The better one of two first; the same one in each run."""
    return ("completed", "in_progress").index(entry.status) if entry.is_usable else 2, entry.file_id
