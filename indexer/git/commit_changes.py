"""Parser of what `git diff-tree --raw -p -U0` prints of commits: changed paths and lines. Pure.

Of each commit come its id, a line for each path, an empty line, and a section for each file whose
lines or mode changed. The lines of a hunk begin with a sign, as nothing else does that may follow
them: no line of a file looks like a header.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from indexer.errors import GitError
from indexer.git.parse import GIT_RECORD_BYTES, SUBMODULE_MODE, cut_lines, storable_path
from indexer.records.history import (
    BLOB_DIGITS,
    COMMIT_HUNKS_BYTES,
    COMMIT_PATHS,
    HUNKS_BYTES,
    ChangeStatus,
    PathChange,
    Unread,
)
from indexer.records.hunks import HunkError, parse_hunks

# Why the lines of a path are not wanted, if so.
WhyUnread = Callable[[str], Unread | None]
_NO_FILE: Final = b"000"
_MODULE: Final = SUBMODULE_MODE.encode()
_COMMIT: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_INDEX: Final = re.compile(rb"index ([0-9a-f,]+)\.\.([0-9a-f]+)")
_HUNK: Final = re.compile(rb"(@@+)(?: -[0-9,]+)+ \+[0-9,]+ \1")  # a line for people may follow
_FIRST: Final = re.compile(rb" [-+](\d+)")
_SIGNS: Final = frozenset({b"+", b"-", b" ", b"\\"})
_BLANK, _MINUS = b" -"
_ESCAPED: Final = re.compile(rb"\\(?:([0-7]{3})|(.))")
_ESCAPES: Final = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))


class ChangedPath(NamedTuple):
    """A line of `--raw`. Modes and blobs are those of each parent, then the commit's own."""

    modes: tuple[bytes, ...]
    blobs: tuple[bytes, ...]
    path: bytes
    old_path: bytes  # before a rename, else empty

    @property
    def status(self) -> ChangeStatus:
        """What became of the path. It changed its type if no parent has that type."""
        *before, after = (mode[:3] for mode in self.modes)
        if self.old_path:
            return ChangeStatus.RENAMED
        if after == _NO_FILE:
            return ChangeStatus.DELETED
        if set(before) == {_NO_FILE}:
            return ChangeStatus.ADDED
        return ChangeStatus.MODIFIED if after in before else ChangeStatus.TYPE

    @property
    def is_module(self) -> bool:
        """Whether it is or was a submodule, which has no lines here."""
        return _MODULE in self.modes

    @property
    def contents(self) -> list[bytes]:
        """The blobs that git reads to tell the lines."""
        is_same = len(set(self.blobs)) == 1 and self.status is not ChangeStatus.TYPE
        if self.is_module or is_same:
            return []
        pairs = zip(self.modes, self.blobs, strict=True)
        return [blob for mode, blob in pairs if not mode.startswith(_NO_FILE)]

    def is_told_by(self, blobs: tuple[bytes, ...]) -> bool:
        """Whether a section of these blobs is of this path.

        Of a path that changed its type, git prints one that removes it, and one that adds it.
        """
        if self.status is not ChangeStatus.TYPE or len(blobs) > 2:
            return blobs == self.blobs
        none = b"0" * len(blobs[-1])
        return blobs in ((self.blobs[0], none), (none, self.blobs[1]))


class CommitChanges:
    """What a commit changes: how many paths, and the first COMMIT_PATHS of them."""

    def __init__(self, commit: str, why_unread: WhyUnread) -> None:
        self.commit = commit
        self.changed = 0
        self.paths: list[ChangedPath] = []
        self._why_unread = why_unread
        self._changes: dict[str, PathChange] = {}  # a malformed tree may have a path twice
        self._names: list[str] = []  # of `paths`, "" for one whose lines are not wanted
        self._told = 0  # of `paths`: sections come in their order
        self._bytes = 0  # of hunks

    @property
    def changes(self) -> tuple[PathChange, ...]:
        """The changes, in the order of their paths."""
        return tuple(sorted(self._changes.values(), key=lambda change: change.path))

    def add(self, found: ChangedPath) -> None:
        """Add a path."""
        self.changed += 1
        if len(self.paths) == COMMIT_PATHS:
            return
        self.paths.append(found)
        name, why_odd = storable_path(found.path)
        old_name, why_old = storable_path(found.old_path) if found.old_path else ("", None)
        status = found.status
        blob = "" if status is ChangeStatus.DELETED else found.blobs[-1][:BLOB_DIGITS].decode()
        unread = None
        if found.contents and (why_odd or why_old):
            unread = Unread.WITHHELD  # no rule can name the path
        elif found.contents:
            unread = self._why_unread(name) or (self._why_unread(old_name) if old_name else None)
        is_wanted = not (unread or found.is_module or name in self._changes)
        self._names.append(name if is_wanted else "")
        self._changes.setdefault(name, PathChange(name, status, old_name, blob, "", unread))

    def next_told(self, blobs: tuple[bytes, ...]) -> str:
        """Return the path whose section is next, with these blobs; "" if its lines are not wanted.

        Raises GitError if there is none.
        """
        for number in range(self._told, len(self.paths)):
            found = self.paths[number]
            if found.is_told_by(blobs):
                self._told = number + (blobs[-1] == found.blobs[-1])
                return self._names[number]
        if self.changed > len(self.paths):
            return ""
        raise GitError(f"git diff-tree printed lines of no changed path of {self.commit}")

    def tell(self, name: str, hunks: bytes, unread: Unread | None) -> None:
        """Add lines of a path, or say why there are none."""
        change = self._changes[name]
        if change.unread:  # of the other half of a new type
            return
        text = _joined(change.hunks, hunks.decode(errors="replace"))
        others = self._bytes - len(change.hunks.encode())
        size = len(text.encode())
        if size > min(HUNKS_BYTES, COMMIT_HUNKS_BYTES - others):
            unread = Unread.LARGE
        elif not unread and not _are_hunks(text):
            unread = Unread.BINARY
        self._bytes = others if unread else others + size
        self._changes[name] = replace(change, hunks="" if unread else text, unread=unread)


def _are_hunks(text: str) -> bool:
    """Whether a service reads it: it would refuse the whole run."""
    try:
        return sum(1 for _ in parse_hunks(text)) > 0
    except HunkError:
        return False


def _joined(removal: str, addition: str) -> str:
    """Return one hunk of two: the whole file is gone, and another one came."""
    if not (removal and addition):
        return removal or addition
    header, _, removed = removal.partition("\n")
    other_header, _, added = addition.partition("\n")
    old, new = header.partition(" +")[0], other_header.partition(" +")[2]
    return f"{old} +{new}\n{removed}{added}"


class _Section:
    """The lines of a file in a patch."""

    def __init__(self, commit: CommitChanges) -> None:
        self._commit = commit
        self._path = ""
        self._unread: Unread | None = None
        self._hunks = bytearray()
        self._merged: _MergedHunk | None = None
        self.signs: frozenset[bytes] = frozenset()  # with which its lines begin, after its header

    def read(self, line: bytes) -> None:
        """Read a line that begins with none of the signs."""
        if line.startswith(b"@@"):
            self.signs = _SIGNS
            self._begin_hunk(line)
        elif found := _INDEX.match(line):
            self._path = self._commit.next_told((*found[1].split(b","), found[2]))
        elif line.startswith(b"Binary files "):
            self._unread = Unread.BINARY

    def add(self, line: bytes) -> None:
        """Add a line of a hunk."""
        if not self._path or self._unread or line.startswith(b"\\"):  # no line feed at the end
            return
        size = len(self._hunks) + len(line)
        if self._merged:
            size += self._merged.size
            self._hunks += self._merged.add(line)
        else:
            self._hunks += line + b"\n"
        if b"\0" in line:
            self._unread = Unread.BINARY
        elif size > HUNKS_BYTES:
            self._unread = Unread.LARGE

    def end(self) -> None:
        """Give the lines to the commit."""
        self._end_hunk()
        if self._path and (self._hunks or self._unread):
            self._commit.tell(self._path, bytes(self._hunks), self._unread)

    def _begin_hunk(self, header: bytes) -> None:
        self._end_hunk()
        found = _HUNK.match(header)
        if found is None:
            raise GitError(f"git diff-tree printed {header[:40]!r} in {self._commit.commit}")
        if len(found[1]) > 2:
            self._merged = _MergedHunk(found[1], found[0])
        elif self._path and not self._unread:
            self._hunks += found[0] + b"\n"

    def _end_hunk(self) -> None:
        if self._merged:
            self._hunks += self._merged.end()


class _MergedHunk:
    """A hunk of a merge with context, of which come hunks without.

    Without context, git prints wrong numbers: it counts lines that it leaves out.
    """

    def __init__(self, mark: bytes, header: bytes) -> None:
        self._mark = mark
        self._first = [int(number) for number in _FIRST.findall(header)]  # of the next hunk
        self._next = list(self._first)  # lines of each parent, and of the merge
        self._rows = bytearray()

    @property
    def size(self) -> int:
        """The bytes that it holds."""
        return len(self._rows)

    def add(self, line: bytes) -> bytes:
        """Add a line; return the hunk that it ends, if so."""
        signs = line[: len(self._next) - 1]
        is_context, is_gone = signs.isspace(), b"-" in signs
        hunk = self.end() if is_context else b""
        for number, sign in enumerate(signs):
            self._next[number] += sign == _MINUS or (sign == _BLANK and not is_gone)
        self._next[-1] += not is_gone
        if is_context:
            self._first = list(self._next)
        else:
            self._rows += line + b"\n"
        return hunk

    def end(self) -> bytes:
        """Return the hunk of the lines so far."""
        if not self._rows:
            return b""
        ranges = [
            b"%d,%d" % (first, after - first)
            for first, after in zip(self._first, self._next, strict=True)
        ]
        header = b" -".join([self._mark, *ranges[:-1]]) + b" +" + ranges[-1]
        hunk = header + b" " + self._mark + b"\n" + bytes(self._rows)
        self._rows.clear()
        return hunk


def parse_changes(parts: Iterable[bytes], why_unread: WhyUnread) -> Iterator[CommitChanges]:
    """Parse output that comes in parts, one commit after the other. Raises GitError.

    No more of a commit is held than a record may have.
    """
    commit = CommitChanges("", why_unread)
    section = _Section(commit)
    for line in cut_lines(parts):
        if line[:1] in section.signs:
            section.add(line)
        elif line.startswith(b":"):
            commit.add(parse_path(line))
        elif line.startswith(b"diff --"):
            section.end()
            section = _Section(commit)
        elif _COMMIT.fullmatch(line):
            section.end()
            if commit.commit:
                yield commit
            commit = CommitChanges(line.decode("ascii"), why_unread)
            section = _Section(commit)
        else:
            section.read(line)
    section.end()
    yield commit


def parse_path(line: bytes) -> ChangedPath:
    """Parse a line of `--raw`: a colon for each parent, modes, blobs, a status, paths.

    Raises GitError for a path that is too long.
    """
    if len(line) > GIT_RECORD_BYTES:
        raise GitError(
            f"git lists a path of more than {GIT_RECORD_BYTES:,} bytes: remove it from the "
            "repository"
        )
    text = line.lstrip(b":")
    versions = len(line) - len(text) + 1
    fields, *paths = text.split(b"\t")
    *numbers, status = fields.split(b" ")
    *old_paths, path = map(_unquoted, paths)
    old_path = old_paths[0] if status.startswith(b"R") else b""
    return ChangedPath(tuple(numbers[:versions]), tuple(numbers[versions:]), path, old_path)


def _unquoted(path: bytes) -> bytes:
    """Return a path as it is, which git prints quoted if it has certain characters."""
    if not path.startswith(b'"'):
        return path
    return _ESCAPED.sub(_character, path[1:-1])


def _character(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return bytes([int(found[1], 8)])
    return bytes([_ESCAPES.get(found[2][0], found[2][0])])
