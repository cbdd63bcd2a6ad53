"""Records of commits, read from git: who, when, why, which paths, and which lines."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from indexer.errors import CommitNotFoundError, GitError
from indexer.git.commit_changes import CommitChanges, WhyUnread, parse_changes
from indexer.git.commit_text import CommitText, parse_commit
from indexer.git.parse import split_lines
from indexer.git.repository import Repository
from indexer.records.files import FILE_BYTES
from indexer.records.history import COMMIT_PARENTS, COMMITS_SENT, Commit, Unread

COMMIT_BYTES: Final = 1_048_576  # of a commit object: its header and its message
# Git compares each new file of a commit with each removed one; beyond this number of either, only
# those that kept their name or their content.
RENAME_CANDIDATES: Final = 200
# Larger files are binary to git: to compare a file of data in each commit would take minutes.
_COMPARED: Final = (
    *("-c", f"core.bigFileThreshold={FILE_BYTES}", "diff-tree", "-r", "--raw", "--no-abbrev"),
    *("--always", "--ignore-submodules=none"),
)
_LINES: Final = (
    *("-p", "--full-index", "--diff-algorithm=myers", "--indent-heuristic"),
    *("--inter-hunk-context=0", "--no-color", "--no-ext-diff", "--no-textconv"),
)
_RENAMES: Final = ("--root", "--find-renames=50%", f"-l{RENAME_CANDIDATES}")
_EXACT_RENAMES: Final = ("--root", "--find-renames=100%")
# With renames, git would omit a path from a merge if it took it for renamed since one parent.
_MERGED: Final = ("-c", "--no-renames")


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
    path = repository.shared_directory / "shallow"
    return frozenset(path.read_text("ascii").split()) if path.exists() else frozenset()


def without_lines(_path: str) -> Unread:
    """Say of every path that its lines are not wanted."""
    return Unread.OFF


def read_commits(
    repository: Repository, commits: Sequence[str], *, why_unread: WhyUnread = without_lines
) -> Iterator[Commit]:
    """Yield the records of commits, in the order given. They are full ids.

    `why_unread` says why the lines of a path are not wanted, if so; it is asked for both names of a
    rename.

    A record is a function of the commit and of whether the clone has all blobs that it changes: no
    remote is asked for others. Without them it has no lines, and a rename is one only if the file
    did not change with it, else a removal and an addition. A merge has no renames, and one of more
    than COMMIT_PARENTS parents no changes.

    Raises CommitNotFoundError if one is not in the clone, and GitError if its tree is not, or if
    what it changes does not fit into git's memory.
    """
    texts = list(_texts(repository, commits))
    kinds = [_Kind.of(text, has_lines=why_unread is not without_lines) for text in texts]
    if repository.may_lack_blobs:
        kinds = _without_absent(repository, commits, kinds)
    streams = {
        kind: _changes(repository, _of_kind(kind, commits, kinds), kind, why_unread)
        for kind in set(kinds)
    }
    for commit, text, kind in zip(commits, texts, kinds, strict=True):
        yield _record(commit, text, next(streams[kind], CommitChanges("", why_unread)))


def _record(commit: str, text: CommitText, found: CommitChanges) -> Commit:
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
        changes=found.changes,
        changed=found.changed,
    )


# Changes


class _Kind(NamedTuple):
    """How commits are compared with their parents; those of one kind by one process."""

    is_merge: bool
    has_lines: bool
    has_all_blobs: bool = True
    is_compared: bool = True

    @classmethod
    def of(cls, text: CommitText, *, has_lines: bool) -> "_Kind":
        parents = len(text.parents)
        return cls(parents > 1, has_lines, is_compared=parents <= COMMIT_PARENTS)

    @property
    def command(self) -> tuple[str, ...]:
        renames = _RENAMES if self.has_all_blobs else _EXACT_RENAMES
        return (
            *_COMPARED,
            *(_MERGED if self.is_merge else renames),
            *((*_LINES, f"-U{int(self.is_merge)}") if self.has_lines else ()),
            "--stdin",
        )


def _of_kind(kind: _Kind, commits: Sequence[str], kinds: Sequence[_Kind]) -> list[str]:
    return [commit for commit, own in zip(commits, kinds, strict=True) if own == kind]


def _changes(
    repository: Repository, commits: list[str], kind: _Kind, why_unread: WhyUnread
) -> Iterator[CommitChanges]:
    if not kind.is_compared:
        yield from (CommitChanges(commit, why_unread) for commit in commits)
    elif kind.has_lines:
        yield from parse_changes(repository.read_objects(*kind.command, names=commits), why_unread)
    else:
        yield from parse_changes(
            repository.read_objects(*kind.command, names=commits),
            lambda path: why_unread(path) or Unread.ABSENT,
        )


def _without_absent(
    repository: Repository, commits: Sequence[str], kinds: Sequence[_Kind]
) -> list[_Kind]:
    """Return the kinds of commits in a clone that may lack blobs: without, no lines."""
    kinds = [kind._replace(has_all_blobs=False) for kind in kinds]
    wanted: dict[str, set[str]] = {}
    for kind in {kind for kind in kinds if kind.is_compared and kind.has_lines}:
        wanted |= _read_blobs(repository, _of_kind(kind, commits, kinds), kind)
    absent = _absent(repository, set().union(*wanted.values()))
    complete = {commit for commit, blobs in wanted.items() if absent.isdisjoint(blobs)}
    return [
        kind._replace(has_lines=commit in complete, has_all_blobs=commit in complete)
        for commit, kind in zip(commits, kinds, strict=True)
    ]


def _read_blobs(
    repository: Repository, commits: list[str], kind: _Kind
) -> Iterator[tuple[str, set[str]]]:
    """Yield commits, each with the blobs that tell its lines, without those of too many paths.

    Of a commit that git cannot read, and of those after it, nothing is said here.
    """
    with suppress(GitError):  # which comes again as the commit's record is read
        for found in _changes(repository, commits, kind._replace(has_lines=False), without_lines):
            if found.changed == len(found.paths):
                yield (
                    found.commit,
                    {blob.decode("ascii") for path in found.paths for blob in path.contents},
                )


def _absent(repository: Repository, blobs: set[str]) -> set[str]:
    if not blobs:
        return set()
    checked = repository.read_objects("cat-file", "--batch-check=", names=sorted(blobs))
    return {
        line.split()[0].decode("ascii")
        for line in split_lines(checked)
        if line.endswith(b"missing")
    }


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
