"""Which stored commits made the lines of a file: the commit of each line, and those of a range.

A pure function of the records of commits (indexer.records.history) and of the file's text: it walks
from the newest commit to its parents, undoes the change of each, and so has the file of every
commit that it visits. Where records do not say what a commit did, it names no commit but the reason
why. Renames are those of the records.
"""

import time
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha1, sha256
from heapq import heappop, heappush
from itertools import islice, takewhile
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from indexer.records.history import (
    BLOB_DIGITS,
    COMMIT_PARENTS,
    COMMIT_PATHS,
    ChangeStatus,
    Unread,
)
from indexer.records.hunks import Hunk, HunkError, LineRange, has_line, parse_hunks

LINE_HISTORY_SECONDS: Final = 3.0  # of a question about a file
VISITED_VERSIONS: Final = 20_000  # of a file, a commit each
_SHA256_DIGITS: Final = 64
# An added file whose lines are not stored is all new, unless the clone could not tell a rename.
_TELLS_RENAMES: Final = frozenset({"", Unread.BINARY, Unread.LARGE})
_REPLACED: Final = "\N{REPLACEMENT CHARACTER}"  # for bytes that are not UTF-8
P = TypeVar("P")


class Unknown(StrEnum):
    """Why the commit of a line is not known. Reasons of indexer.records.history.Unread apply too:
    a commit changed the file, and how is not stored.
    """

    NOT_STORED = "not_stored"  # older than the commits that are stored
    MANY_PATHS = "many_paths"  # a commit changed more paths than are stored of one
    MERGE = "merge"  # a merge may have renamed the file, or taken it from either parent
    INCONSISTENT = "inconsistent"  # stored lines do not fit the file
    LIMIT = "limit"  # of the time or the commits that a question may take


_CIRCULAR: Final = frozenset([Unknown.INCONSISTENT.value])  # of commits before one another
_UNKNOWN: Final = frozenset(reason.value for reason in Unknown)


class FileChange(NamedTuple):
    """What a commit did to a path. `unread`: why its hunks are not stored, "" if they are."""

    status: str
    old_path: str
    blob: str
    unread: str


GONE: Final = FileChange(ChangeStatus.DELETED, "", "", "")  # also of the old path of a rename


class Changes(Protocol):
    """Records of a repository's commits."""

    def of_path(self, path: str) -> Mapping[str, FileChange]:
        """Return what commits did to a path, by commit; GONE for one that renamed it away."""

    def hunks(self, commit: str, path: str) -> str:
        """Return the stored hunks of a change."""


class StoredCommit(NamedTuple):
    """A commit of the branch. `changed`: how many paths."""

    sha: str
    parents: Sequence[str]
    changed: int


class _PathRecords(NamedTuple):
    """What commits did to a path, and the nearest of these for the commits it was asked of."""

    changes: Mapping[str, FileChange]
    nearest: dict[str, frozenset[str]]


class CommitGraph:
    """Stored commits, given newest first; in `order` none comes before its children.

    `records`: of the paths that were asked for.
    """

    def __init__(self, commits: Iterable[StoredCommit], head: str) -> None:
        places = {commit.sha: (place, commit) for place, commit in enumerate(commits)}
        self.parents = {sha: commit.parents for sha, (_, commit) in places.items()}
        self.head = head
        self.records: dict[str, _PathRecords] = {}
        self._cut = {
            sha
            for sha, (_, commit) in places.items()
            if commit.changed > COMMIT_PATHS or len(commit.parents) >= COMMIT_PARENTS
        }
        self.order = self._ordered({sha: place for sha, (place, _) in places.items()})

    def _ordered(self, places: Mapping[str, int]) -> dict[str, int]:
        """Return the number of each commit that the head contains, newest first."""
        children = {self.head: 0}
        waiting = [self.head]
        while waiting:
            for parent in self.parents.get(waiting.pop(), ()):
                if parent not in children:
                    children[parent] = 0
                    waiting.append(parent)
                children[parent] += 1
        shas = list(places)
        ready = [places[self.head]] if self.head in places else []
        order: dict[str, int] = {}
        while ready:
            sha = shas[heappop(ready)]
            order[sha] = len(order)
            for parent in self.parents[sha]:
                children[parent] -= 1
                if not children[parent] and parent in places:
                    heappush(ready, places[parent])
        return order

    def nearest(
        self, commit: str, changes: Mapping[str, FileChange], known: dict[str, frozenset[str]]
    ) -> frozenset[str]:
        """Return the commits of which one left the path as `commit` has it.

        An Unknown among them: what came before is not known. Empty: there never was such a path.
        `known` is what was found of this path, and is added to.
        """
        last = len(self.order)
        unasked = self._until_changed(commit, changes, known)
        for sha in sorted(unasked, key=lambda sha: -self.order.get(sha, last)):
            if sha in changes:
                known[sha] = frozenset([sha])
            elif sha not in self.order:
                known[sha] = frozenset([Unknown.NOT_STORED.value])
            elif sha in self._cut:
                known[sha] = frozenset([Unknown.MANY_PATHS.value])
            else:
                parents = self.parents[sha]
                known[sha] = _union([known.get(parent, _CIRCULAR) for parent in parents])
        return known[commit]

    def _until_changed(
        self, commit: str, changes: Mapping[str, FileChange], known: Mapping[str, frozenset[str]]
    ) -> set[str]:
        """Return the unknown ones of a commit and those before it, up to the nearest changes."""
        found, waiting = {commit} - known.keys(), [commit]
        while waiting:
            sha = waiting.pop()
            if sha in changes or sha in self._cut or sha in known:
                continue
            for parent in self.parents.get(sha, ()):
                if parent not in found and parent not in known:
                    found.add(parent)
                    waiting.append(parent)
        return found


def _union(sets: Sequence[frozenset[str]]) -> frozenset[str]:
    if not sets:
        return frozenset()
    first, *others = sets
    return first.union(*others) if any(other is not first for other in others) else first


# Walks


class Version(NamedTuple):
    """A file as a commit has it."""

    commit: str
    path: str
    lines: list[str]


class _Walk(ABC, Generic[P]):
    """A question about lines, `P`, asked of one version of a file after another, newest first."""

    def __init__(self, graph: CommitGraph, changes: Changes, *, seconds: float) -> None:
        self._graph = graph
        self._changes = changes
        self._until = time.monotonic() + seconds
        self._asked: dict[tuple[str, str], tuple[Version, P]] = {}
        self._waiting: list[tuple[int, str, str]] = []

    def walk(self, path: str, lines: list[str], question: P) -> None:
        """Ask about the head's file."""
        self._ask(Version(self._graph.head, path, lines), question)
        visited = 0
        while self._waiting and not self.is_done():
            _, commit, path = heappop(self._waiting)
            version, question = self._asked.pop((commit, path))
            visited += 1
            if visited > VISITED_VERSIONS or time.monotonic() > self._until:
                self.unknown(question, Unknown.LIMIT)
            else:
                self._visit(version, question)

    def is_done(self) -> bool:
        """Whether what is known is enough."""
        return False

    @abstractmethod
    def unknown(self, question: P, reason: str) -> None:
        """Take the answer that nothing is known of these lines."""

    @abstractmethod
    def own(self, version: Version, question: P) -> None:
        """Take the answer that all lines of the version are its commit's."""

    @abstractmethod
    def pass_on(self, version: Version, question: P, hunks: list[Hunk]) -> Iterator[tuple[int, P]]:
        """Take an answer, and yield what is to be asked of which parents."""

    @abstractmethod
    def joined(self, first: P, second: P) -> P:
        """Make one question of two about the same version."""

    def _ask(self, version: Version, question: P) -> None:
        key = version.commit, version.path
        if key in self._asked:
            known, other = self._asked[key]
            if len(known.lines) != len(version.lines):
                self.unknown(question, Unknown.INCONSISTENT)
                return
            self._asked[key] = known, self.joined(other, question)
            return
        self._asked[key] = version, question
        heappush(self._waiting, (self._graph.order.get(version.commit, -1), *key))

    def _path(self, path: str) -> _PathRecords:
        known = self._graph.records
        if path not in known:
            known[path] = _PathRecords(self._changes.of_path(path), {})
        return known[path]

    def _visit(self, version: Version, question: P) -> None:
        records = self._path(version.path)
        change = records.changes.get(version.commit)
        if change is not None:
            self._visit_change(version, question, change)
            return
        found = self._present(version.commit, records)
        if len(found) == 1 and (commit := next(iter(found))) not in _UNKNOWN:
            self._ask(version._replace(commit=commit), question)
            return
        parents = self._graph.parents.get(version.commit, ())
        if len(found) <= 1 or not parents:
            self.unknown(question, next(iter(found), Unknown.INCONSISTENT.value))
        elif len(parents) == 1:
            self._ask(version._replace(commit=parents[0]), question)
        elif parent := self._same_parent(version, records):
            self._ask(version._replace(commit=parent), question)
        else:
            unread = {records.changes[sha].unread for sha in found if sha in records.changes}
            self.unknown(question, min(unread - {""}, default=Unknown.MERGE))

    def _present(self, commit: str, records: _PathRecords) -> frozenset[str]:
        """Return the nearest changes of a path that left it."""
        found = self._graph.nearest(commit, *records)
        return frozenset(sha for sha in found if not _is_gone(records.changes.get(sha)))

    def _same_parent(self, version: Version, records: _PathRecords) -> str:
        """Return where the file of a merge, equal to that of a parent, comes from; "": unknown.

        That is the only commit that left this content, else the first parent that may have it. Of
        two versions of which one follows the other, a parent has the newer.
        """
        blobs, changes = self._blobs(version), records.changes
        first, sources = "", set[str]()
        for parent in self._graph.parents[version.commit]:
            found = self._present(parent, records)
            same = {sha for sha in found if sha in changes and changes[sha].blob in blobs}
            first = first or (parent if same & self._newest(found, records) else "")
            sources |= same
        return next(iter(sources)) if len(sources) == 1 else first

    def _newest(self, found: frozenset[str], records: _PathRecords) -> frozenset[str]:
        """Return those of the changes of a path that no other one of them follows."""
        older_ones: set[str] = set()
        waiting = [sha for sha in found if len(found) > 1]
        while waiting:
            sha = waiting.pop()
            for parent in self._graph.parents[sha] if sha in records.changes else ():
                older = self._present(parent, records) - older_ones
                older_ones |= older
                waiting += older
        return found - older_ones

    def _blobs(self, version: Version) -> set[str]:
        """Return the ids that the file may have: nothing says whether it ends with a line feed."""
        digest = sha256 if len(version.commit) == _SHA256_DIGITS else sha1
        content = "\n".join(version.lines).encode(errors="replace")
        return {
            digest(b"blob %d\0" % len(data) + data).hexdigest()[:BLOB_DIGITS]
            for data in (content, content + b"\n")
        }

    def _visit_change(self, version: Version, question: P, change: FileChange) -> None:
        parents = self._graph.parents[version.commit]
        is_new = change.status in {ChangeStatus.ADDED, ChangeStatus.TYPE} or not parents
        if _is_gone(change):
            self.unknown(question, Unknown.INCONSISTENT)
        elif is_new and len(parents) > 1:
            self.unknown(question, Unknown.MERGE)
        elif is_new and change.unread in _TELLS_RENAMES:
            self.own(version, question)
        elif change.unread:
            self.unknown(question, change.unread)
        else:
            self._undo(version, question, change)

    def _undo(self, version: Version, question: P, change: FileChange) -> None:
        parents = self._graph.parents[version.commit]
        old_path = change.old_path or version.path
        try:
            hunks = list(parse_hunks(self._changes.hunks(version.commit, version.path)))
            _check(hunks, version.lines, len(parents))
        except HunkError:
            self.unknown(question, Unknown.INCONSISTENT)
            return
        records = self._path(version.path)
        if len(parents) > 1 and not all(self._present(parent, records) for parent in parents):
            # A parent may have it by another name: records have no renames of merges.
            self.unknown(question, Unknown.MERGE)
            return
        for place, asked in self.pass_on(version, question, hunks):
            before = Version(parents[place], old_path, _undone(hunks, version.lines, place))
            if len(parents) > 1 and not self._may_be(before):
                self.unknown(asked, Unknown.INCONSISTENT)
            else:
                self._ask(before, asked)

    def _may_be(self, version: Version) -> bool:
        """Whether the text is one that the commit's file may have, as far as its blob tells."""
        if any(_REPLACED in line for line in version.lines):
            return True
        records = self._path(version.path)
        found = self._present(version.commit, records)
        blobs = {records.changes[sha].blob for sha in found if sha in records.changes}
        return len(blobs) < len(found) or not blobs.isdisjoint(self._blobs(version))


def _is_gone(change: FileChange | None) -> bool:
    return change is not None and change.status == ChangeStatus.DELETED


def _check(hunks: Sequence[Hunk], lines: Sequence[str], parents: int) -> None:
    """Raise HunkError unless the hunks are of this file."""
    for hunk in hunks:
        start = hunk.new.start - 1
        texts = [text for signs, text in hunk.rows if "-" not in signs]
        is_same = lines[start : start + hunk.new.size] == texts and start <= len(lines)
        if len(hunk.old) != parents or not is_same:
            raise HunkError("the hunks are of another file")


def _undone(hunks: Sequence[Hunk], lines: list[str], parent: int) -> list[str]:
    """Return the lines of a parent's file."""
    before: list[str] = []
    end = 0
    for hunk in hunks:
        start = hunk.new.start - 1
        before += lines[end:start]
        before += [text for signs, text in hunk.rows if has_line(signs, parent)]
        end = start + hunk.new.size
    return before + lines[end:]


# The commit of each line


class Segment(NamedTuple):
    """`size` lines from `first` of the file that was asked about; from `own` of a version."""

    first: int
    own: int
    size: int


class BlamedRange(NamedTuple):
    """Lines of one commit; without a commit `unknown` says why."""

    start_line: int
    end_line: int
    commit: str
    unknown: str


_Segments = list[Segment]


class _Blame(_Walk[_Segments]):
    def __init__(self, graph: CommitGraph, changes: Changes, *, seconds: float) -> None:
        super().__init__(graph, changes, seconds=seconds)
        self.found: list[BlamedRange] = []

    def unknown(self, question: _Segments, reason: str) -> None:
        self._take(question, "", str(reason))

    def own(self, version: Version, question: _Segments) -> None:
        self._take(question, version.commit, "")

    def joined(self, first: _Segments, second: _Segments) -> _Segments:
        return sorted(first + second, key=lambda segment: segment.own)

    def pass_on(
        self, version: Version, question: _Segments, hunks: list[Hunk]
    ) -> Iterator[tuple[int, _Segments]]:
        of_parent: dict[int, _Segments] = {}
        for segment, parent in _split(question, list(_runs(hunks, len(version.lines)))):
            of_parent.setdefault(parent, []).append(segment)
        own = of_parent.pop(_OWN, [])
        self.own(version, own)
        yield from of_parent.items()

    def _take(self, segments: _Segments, commit: str, reason: str) -> None:
        self.found += (
            BlamedRange(first, first + size - 1, commit, reason) for first, _, size in segments
        )


_OWN: Final = -1  # instead of a parent


class _Run(NamedTuple):
    """Lines of a version that are those of a parent, from `old` on, or its own."""

    start: int
    size: int
    parent: int
    old: int


def _runs(hunks: Sequence[Hunk], total: int) -> Iterator[_Run]:
    """Yield what all lines of a version are; of what several parents have, the first one's."""
    at, old = 1, 1  # of the version, and of the first parent
    for hunk in hunks:
        if hunk.new.start > at:
            yield _Run(at, hunk.new.start - at, 0, old)
        at = hunk.new.start
        counts = [lines.start for lines in hunk.old]
        for signs, _ in hunk.rows:
            if "-" not in signs:
                parent = signs.find(" ")
                yield _Run(at, 1, parent, counts[parent] if parent >= 0 else 0)
                at += 1
            for place in range(len(counts)):
                counts[place] += has_line(signs, place)
        old = counts[0]
    if at <= total:
        yield _Run(at, total - at + 1, 0, old)


def _split(segments: _Segments, runs: Sequence[_Run]) -> Iterator[tuple[Segment, int]]:
    """Yield the parts of segments, each with the parent whose lines they are.

    Segments may overlap: two lines of a merge can be one line of the commit that it forked from.
    """
    starts = [run.start for run in runs]
    for first, own, size in segments:
        end = own + size
        last: tuple[Segment, int] | None = None
        for run in islice(runs, bisect_right(starts, own) - 1, bisect_left(starts, end)):
            begin = max(own, run.start)
            part = Segment(
                first + begin - own,
                run.old + begin - run.start,
                min(end, run.start + run.size) - begin,
            )
            joined = _continued(last, part, run.parent)
            if last is not None and joined is None:
                yield last
            last = joined or (part, run.parent)
        if last is not None:
            yield last


def _continued(
    last: tuple[Segment, int] | None, part: Segment, parent: int
) -> tuple[Segment, int] | None:
    """Return the two as one segment, if the second goes on where the first ends."""
    if last is None or last[1] != parent:
        return None
    before = last[0]
    if parent == _OWN or before.own + before.size == part.own:
        return before._replace(size=before.size + part.size), parent
    return None


def blame(
    graph: CommitGraph,
    changes: Changes,
    *,
    path: str,
    lines: list[str],
    asked: tuple[int, int],
    seconds: float,
) -> list[BlamedRange]:
    """Return the commit that made each of the lines `asked`, first and last, of the head's file.

    `lines` are decoded as the hunks are. What would take longer than `seconds`, or more than
    VISITED_VERSIONS, is unknown.
    """
    first, last = asked
    blaming = _Blame(graph, changes, seconds=seconds)
    blaming.walk(path, lines, [Segment(first, first, last - first + 1)])
    return _merged(sorted(blaming.found))


def _merged(ranges: Iterable[BlamedRange]) -> list[BlamedRange]:
    """Return sorted ranges, neighbours of one commit as one."""
    found: list[BlamedRange] = []
    for lines in ranges:
        if found and found[-1][2:] == lines[2:]:
            found[-1] = found[-1]._replace(end_line=lines.end_line)
        else:
            found.append(lines)
    return found


# Commits of a range of lines


class _Touching(_Walk[tuple[int, int]]):
    """Lines from the first to the last, asked of each version."""

    def __init__(self, graph: CommitGraph, changes: Changes, *, seconds: float, limit: int) -> None:
        super().__init__(graph, changes, seconds=seconds)
        self.commits: dict[str, str] = {}
        self.reasons: dict[str, None] = {}
        self._limit = limit

    def is_done(self) -> bool:
        return len(self.commits) >= self._limit

    def unknown(self, question: tuple[int, int], reason: str) -> None:  # noqa: ARG002
        self.reasons[str(reason)] = None

    def own(self, version: Version, question: tuple[int, int]) -> None:  # noqa: ARG002
        self.commits[version.commit] = version.path

    def joined(self, first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
        return min(first[0], second[0]), max(first[1], second[1])

    def pass_on(
        self, version: Version, question: tuple[int, int], hunks: list[Hunk]
    ) -> Iterator[tuple[int, tuple[int, int]]]:
        parents = range(len(self._graph.parents[version.commit]))
        moved = {place: _moved(question, _against(hunks, place)) for place in parents}
        unchanged = next((place for place in parents if not moved[place].is_touched), None)
        if unchanged is not None:
            yield unchanged, moved[unchanged].lines
            return
        if len(parents) == 1 or _has_own(question, hunks):
            self.own(version, question)
        for place, (_, (first, last)) in moved.items():
            if first <= last:
                yield place, (first, last)


class _PlainHunk(NamedTuple):
    """Lines of one parent that became others."""

    old: LineRange
    new: LineRange
    removed: list[str]


class _Moved(NamedTuple):
    """Where lines are in a parent's file, an empty range if nowhere, and whether they changed."""

    is_touched: bool
    lines: tuple[int, int]


def _against(hunks: Iterable[Hunk], parent: int) -> Iterator[_PlainHunk]:
    """Yield what changed since one parent."""
    for hunk in hunks:
        old, new = hunk.old[parent].start, hunk.new.start
        size, removed = 0, list[str]()
        for signs, text in [*hunk.rows, (" " * len(hunk.old), "")]:
            is_old, is_new = has_line(signs, parent), "-" not in signs
            if is_old and not is_new:
                removed.append(text)
            elif is_new and not is_old:
                size += 1
            elif is_old and (size or removed):
                yield _PlainHunk(_lines(old, len(removed)), _lines(new, size), removed)
                old, new = old + len(removed), new + size
                size, removed = 0, []
            if is_old and is_new:
                old, new = old + 1, new + 1


def _lines(start: int, size: int) -> LineRange:
    return LineRange(start if size else start - 1, size)


def _moved(asked: tuple[int, int], hunks: Iterable[_PlainHunk]) -> _Moved:
    """Lines that a hunk replaced came from all that it removed.

    What was removed directly before or after counts up to an empty line: it may be a decorator, or
    the last line of a body.
    """
    first, last = asked
    old_first, old_last = _Ends(first), _Ends(last)
    is_touched = False
    for hunk in hunks:
        begin, end = hunk.new.start, hunk.new.start + hunk.new.size  # without the end
        is_removal = begin == end
        if begin > last + is_removal:
            break
        if is_removal and begin in {first, last + 1}:
            before = begin == first
            border = _until_empty(reversed(hunk.removed) if before else hunk.removed)
            is_touched = is_touched or border > 0
            (old_first if before else old_last).border = -border if before else border
        elif end > first:
            is_touched = True
        old_first.pass_by(hunk, hunk.old.start)
        old_last.pass_by(hunk, hunk.old.start + hunk.old.size - 1)
    return _Moved(is_touched, (old_first.line, old_last.line))


class _Ends:
    """Where an end of a range is in the older file."""

    def __init__(self, line: int) -> None:
        self.border = 0
        self._new = line
        self._offset = 0
        self._inside: int | None = None

    @property
    def line(self) -> int:
        """Its number."""
        line = self._new + self._offset if self._inside is None else self._inside
        return line + self.border

    def pass_by(self, hunk: _PlainHunk, replaced: int) -> None:
        """Take the next hunk. `replaced`: the line if the hunk has it."""
        begin, end = hunk.new.start, hunk.new.start + hunk.new.size
        if begin <= self._new < end:
            self._inside = replaced
        elif end <= self._new:
            self._offset += hunk.old.size - hunk.new.size


def _until_empty(lines: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(str.strip, lines))


def _has_own(asked: tuple[int, int], hunks: Iterable[Hunk]) -> bool:
    """Whether a merge has lines of no parent, or lacks some of all."""
    first, last = asked
    for hunk in hunks:
        at = hunk.new.start
        for signs, _ in hunk.rows:
            is_new = "-" not in signs
            if " " not in signs and first <= at <= last:
                return True
            at += is_new
    return False


class Touched(NamedTuple):
    """Commits that changed a range, newest first, each with the path that the file had then.

    `reasons`: why there may be more.
    """

    commits: dict[str, str]
    reasons: list[str]


def touching(
    graph: CommitGraph,
    changes: Changes,
    *,
    path: str,
    lines: list[str],
    asked: tuple[int, int],
    seconds: float,
    limit: int,
) -> Touched:
    """Return the newest commits that changed lines `asked`, first and last, of the head's file.

    The range is followed as `git log -L` does; see `blame` for the bounds.
    """
    walk = _Touching(graph, changes, seconds=seconds, limit=limit)
    walk.walk(path, lines, asked)
    return Touched(walk.commits, list(walk.reasons))
