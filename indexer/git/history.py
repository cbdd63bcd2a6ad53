"""Records of commits, read from git: who, when, why, and which paths."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from indexer.errors import CommitNotFoundError, GitError
from indexer.git.commit_text import CommitText, parse_commit
from indexer.git.parse import split_records, storable_path
from indexer.git.repository import Repository
from indexer.records.history import (
    COMMIT_PARENTS,
    COMMIT_PATHS,
    COMMITS_SENT,
    ChangeStatus,
    Commit,
    PathChange,
)

COMMIT_BYTES: Final = 1_048_576  # of a commit object: its header and its message
# Git compares each new file of a commit with each removed one; beyond this number of either, only
# those that kept their name or their content.
RENAME_CANDIDATES: Final = 200
_COMPARED: Final = ("-z", "--raw", "--no-abbrev", "--always", "--ignore-submodules=none")
_RENAMES: Final = ("--root", "--find-renames=50%", f"-l{RENAME_CANDIDATES}")
_EXACT_RENAMES: Final = ("--root", "--find-renames=100%")
# With renames, git would omit a path from a merge if it took it for renamed since one parent.
_MERGED: Final = ("-c", "--no-renames")
_NO_FILE: Final = b"000"


def newest_commits(
    repository: Repository, head: str, *, base: str | None = None, limit: int = COMMITS_SENT
) -> list[str]:
    """Return the ids of the newest commits of `head`, newest first, without those of `base`.

    No commit comes after its parent. Among those that allows, the order is that of their dates:
    git's other order lists a merged branch as a whole, so that a cut by number would keep an old
    branch and lose what is newer. In a shallow clone, commits without their parents are left out.
    No remote is asked. Raises GitError if a commit is not in the clone.
    """
    edges = _shallow_commits(repository)
    excluded = [f"^{base}"] if base else []
    parts = repository.read_offline(
        "rev-list", "--date-order", f"--max-count={limit + len(edges)}", "--end-of-options",
        head, *excluded,
    )  # fmt: skip
    listed = b"".join(parts).decode("ascii").split()
    return [commit for commit in listed if commit not in edges][:limit]


def _shallow_commits(repository: Repository) -> frozenset[str]:
    name = repository.run("rev-parse", "--git-path", "shallow").removesuffix(b"\n")
    path = Path(repository.root, name.decode(errors="surrogateescape"))
    return frozenset(path.read_text("ascii").split()) if path.exists() else frozenset()


def read_commits(repository: Repository, commits: Sequence[str]) -> Iterator[Commit]:
    """Yield the records of commits, in the order given. They are full ids.

    A record is a function of the commit and of whether the clone is partial: there a rename is one
    only if the file did not change with it, else a removal and an addition, because no remote is
    asked for blobs. A merge has no renames, and one of more than COMMIT_PARENTS parents no changes.

    Raises CommitNotFoundError if one is not in the clone, and GitError if its tree is not, or if
    what it changes does not fit into git's memory.
    """
    texts = list(zip(commits, _texts(repository, commits), strict=True))
    renames = _EXACT_RENAMES if repository.is_partial else _RENAMES
    plain = [commit for commit, text in texts if len(text.parents) <= 1]
    merges = [commit for commit, text in texts if 1 < len(text.parents) <= COMMIT_PARENTS]
    plain_changes = _changes(repository, plain, *renames)
    merge_changes = _changes(repository, merges, *_MERGED)
    for commit, text in texts:
        found = _Changes(commit)
        if len(text.parents) <= COMMIT_PARENTS:
            found = next(plain_changes if len(text.parents) <= 1 else merge_changes, _Changes(""))
        yield _record(commit, text, found)


def _record(commit: str, text: CommitText, found: "_Changes") -> Commit:
    if found.commit != commit:
        raise GitError(f"git diff-tree printed {found.commit!r} in the place of {commit}")
    return Commit(
        sha=commit,
        parents=text.parents[:COMMIT_PARENTS],
        authored_at=text.authored_at,
        committed_at=text.committed_at,
        author=text.author,
        subject=text.subject,
        body=text.body,
        reverts=text.reverts,
        changes=tuple(sorted(found.by_path.values(), key=lambda change: change.path)),
        changed=found.changed,
    )


# Commit objects


def _texts(repository: Repository, commits: Sequence[str]) -> Iterator[CommitText]:
    names = "".join(f"{commit}\n" for commit in commits).encode()
    output = _Output(repository.read_offline("cat-file", "--batch", "--buffer", stdin=names))
    for commit in commits:
        header = output.line().split()  # name, type, size; or name, "missing"
        if header[1:2] != [b"commit"]:
            raise CommitNotFoundError(f"{commit} is not a commit in this clone; fetch it")
        size = int(header[2])
        yield parse_commit(output.beginning(size + 1)[:size])  # without the LF that ends it


class _Output:
    """The output of `git cat-file --batch`."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._buffer = b""

    def line(self) -> bytes:
        """Return the next line."""
        while b"\n" not in self._buffer:
            self._buffer += self._next()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def beginning(self, size: int) -> bytes:
        """Return the first COMMIT_BYTES of the next `size` bytes, and skip the others."""
        kept, left = bytearray(), size
        while left:
            part = self._buffer or self._next()
            kept += part[: min(left, COMMIT_BYTES - len(kept))]
            self._buffer = part[left:]
            left -= min(left, len(part))
        return bytes(kept)

    def _next(self) -> bytes:
        part = next(self._parts, b"")
        if not part:
            raise GitError("git cat-file ended before its last answer")
        return part


# Changes


class _Changes:
    """What a commit changes: how many paths, and the first COMMIT_PATHS of them."""

    def __init__(self, commit: str) -> None:
        self.commit = commit
        self.changed = 0
        self.by_path: dict[str, PathChange] = {}  # a malformed tree may have a path twice

    def read(self, fields: bytes, paths: Iterator[bytes]) -> None:
        """Read a change, whose paths come after its other fields."""
        is_rename = fields.rpartition(b" ")[2].startswith(b"R")
        old_path = next(paths) if is_rename else b""
        path = next(paths)
        self.changed += 1
        if len(self.by_path) < COMMIT_PATHS:
            name = storable_path(path)[0]
            change = PathChange(name, _status(fields))
            if is_rename:
                change = PathChange(name, ChangeStatus.RENAMED, storable_path(old_path)[0])
            self.by_path.setdefault(name, change)


def _status(fields: bytes) -> ChangeStatus:
    """Return what became of a path: a colon and a mode for each parent, then its own mode.

    It changed its type if no parent has that type.
    """
    parents = len(fields) - len(fields.lstrip(b":"))
    *before, after = (mode[:3] for mode in fields[parents:].split(b" ", parents + 1)[: parents + 1])
    if after == _NO_FILE:
        return ChangeStatus.DELETED
    if set(before) == {_NO_FILE}:
        return ChangeStatus.ADDED
    return ChangeStatus.MODIFIED if after in before else ChangeStatus.TYPE


def _changes(repository: Repository, commits: Sequence[str], *options: str) -> Iterator[_Changes]:
    if commits:
        yield from _parsed(split_records(repository.compare(commits, *_COMPARED, *options)))


def _parsed(fields: Iterable[bytes]) -> Iterator[_Changes]:
    """Parse the names of commits, each with its changes."""
    rest = iter(fields)
    found = _Changes("")
    for field in rest:
        if field.startswith(b":"):
            found.read(field, rest)
            continue
        if found.commit:
            yield found
        found = _Changes(field.decode("ascii"))
    yield found
