"""Changed lines of a patch without context, and their positions in another version.

Pure. Positions are boundaries: boundary 0 is above line 1, boundary n below line n.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from math import inf
from typing import Final, NamedTuple

_SECTION: Final = b"diff --git "
_HEADER: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ANNOTATIONS: Final = (b"@", b"#[")  # they belong to the lines below


class Span(NamedTuple):
    """The lines between two boundaries; equal boundaries are a position between two lines."""

    low: int
    high: int

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line, inclusive; of a position between lines both neighbours."""
        if self.low == self.high:
            return max(self.low, 1), self.low + 1
        return self.low + 1, self.high

    def touches(self, first: int, last: int) -> bool:
        """Whether a line of `first`..`last` is in the span, or its position is inside of them."""
        if self.low == self.high:
            return first <= self.low and self.low + 1 <= last
        return first <= self.high and self.low + 1 <= last


class Hunk(NamedTuple):
    """`old` became `new`; `added` are the lines of an insertion that hold more than white space."""

    old: Span
    new: Span
    added: tuple[bytes, ...] = ()


_UNCHANGED: Final = Hunk(Span(0, 0), Span(0, 0))


def parse_patch(lines: Iterable[bytes]) -> list[tuple[Hunk, ...] | None]:
    """Return the hunks of each file of `git diff-tree -p -U0 --text`; None: a binary file.

    Without context a line of content begins with "+", "-" or a backslash, so that no line of a file
    looks like a header. Lines may be cut.
    """
    files: list[_PatchedFile] = []
    for line in lines:
        if line.startswith(_SECTION):
            files.append(_PatchedFile())
        elif files:
            files[-1].read(line)
    return [None if file.is_binary else tuple(file.hunks) for file in files]


class _PatchedFile:
    """A file of a patch, read line by line."""

    def __init__(self) -> None:
        self.hunks: list[Hunk] = []
        self.is_binary = False

    def read(self, line: bytes) -> None:
        if b"\0" in line:
            self.is_binary = True
        elif header := _HEADER.match(line):
            self.hunks.append(_hunk(header))
        elif self.hunks and line[:1] == b"+" and line[1:].strip():
            hunk = self.hunks[-1]
            if hunk.old.low == hunk.old.high:
                first, *_ = (*hunk.added, line[1:])
                self.hunks[-1] = hunk._replace(added=(first, line[1:]))


def _hunk(header: re.Match[bytes]) -> Hunk:
    start, count, new_start, new_count = (int(group or b"1") for group in header.groups())
    return Hunk(_span(start, count), _span(new_start, new_count))


def _span(start: int, count: int) -> Span:
    """Convert git's `start,count`; with a count of 0, `start` is the line above."""
    return Span(start - 1, start - 1 + count) if count else Span(start, start)


def changed_ranges(hunks: Iterable[Hunk], indented: Sequence[bytes] | None = None) -> list[Span]:
    """Return the ranges of the old file that the hunks change.

    `indented` are its lines in languages where indentation alone ends a block (Python): a line that
    is inserted below a block belongs to the block or not, by its own indentation.
    """
    blocks = _Blocks(indented) if indented else None
    return [_changed(hunk, blocks) for hunk in hunks]


def _changed(hunk: Hunk, blocks: "_Blocks | None") -> Span:
    if not hunk.added:
        return hunk.old
    if hunk.added[-1].lstrip().startswith(_ANNOTATIONS):
        return Span(hunk.old.low, hunk.old.low + 1)
    header = blocks.header(hunk.old.low, _depth(hunk.added[0])) if blocks else 0
    return Span(header - 1, header) if header else hunk.old


class _Blocks:
    """The blocks of a file that is structured by indentation, each identified by its header."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._depths: list[float] = [-1]  # of each line; number 0 stands for the file
        self._outer = [0]  # the next line above that is less deep
        above = 0
        for number, line in enumerate(lines, start=1):
            is_blank = not line.strip()
            self._depths.append(inf if is_blank else _depth(line))
            self._outer.append(self.header(above, self._depths[-1]))
            above = above if is_blank else number

    def header(self, number: int, depth: float) -> int:
        """Return the header of the block around a line of `depth` below `number`; 0: the file."""
        number = min(number, len(self._outer) - 1)
        while self._depths[number] >= depth:
            number = self._outer[number]
        return number


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def map_range(span: Span, hunks: Sequence[Hunk]) -> Span:
    """Return the position of a span of the old file in the new one.

    Replaced lines are at their replacement, removed lines between the remaining ones. Lines
    inserted at the edge of a span are outside of it.
    """
    last = _before(bisect_left(hunks, span.high, key=_begin), hunks)
    if span.low == span.high < last.old.high:
        return last.new
    high = max(span.high, last.old.high) + last.new.high - last.old.high
    if span.low == span.high:
        return Span(high, high)
    first = _before(bisect_right(hunks, span.low, key=_begin), hunks)
    if span.low < first.old.high:
        return Span(first.new.low, high)
    return Span(span.low + first.new.high - first.old.high, high)


def _begin(hunk: Hunk) -> int:
    return hunk.old.low


def _before(index: int, hunks: Sequence[Hunk]) -> Hunk:
    return hunks[index - 1] if index else _UNCHANGED
