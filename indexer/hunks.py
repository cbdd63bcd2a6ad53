"""What a patch without context says of a file's old lines, and where these are in another version.

Pure. Positions are boundaries: boundary 0 is above line 1, boundary n below line n.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

_SECTION: Final = b"diff --git "
_HEADER: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ANNOTATIONS: Final = (b"@", b"#[")  # they belong to what stands below them


class Span(NamedTuple):
    """The lines between two boundaries; where these are one: the place between two lines."""

    low: int
    high: int

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line, inclusive; of a place between lines both neighbours."""
        if self.low == self.high:
            return max(self.low, 1), self.low + 1
        return self.low + 1, self.high

    def touches(self, first: int, last: int) -> bool:
        """Whether a line of `first`..`last` is in it; a place between lines must be inside."""
        if self.low == self.high:
            return first <= self.low and self.low + 1 <= last
        return first <= self.high and self.low + 1 <= last


class Hunk(NamedTuple):
    """`old` became `new`; `added` are the lines of an insertion that hold more than white space."""

    old: Span
    new: Span
    added: tuple[bytes, ...] = ()


def parse_patch(patch: bytes) -> list[tuple[Hunk, ...] | None]:
    """The hunks of each file of `git diff-tree -p -U0 --text`, in its order; None: a binary file.

    Without context a line of content begins with "+", "-" or a backslash, so no line of a file
    can be taken for a header.
    """
    sections = (b"\n" + patch).split(b"\n" + _SECTION)[1:]
    return [None if b"\0" in section else _hunks(section) for section in sections]


def _hunks(section: bytes) -> tuple[Hunk, ...]:
    found: list[Hunk] = []
    added: list[bytes] = []
    for line in section.split(b"\n"):
        if header := _HEADER.match(line):
            added = []
            found.append(_hunk(header))
        elif found and line[:1] == b"+" and line[1:].strip():
            added.append(line[1:])
            if found[-1].old.low == found[-1].old.high:
                found[-1] = found[-1]._replace(added=(added[0], added[-1]))
    return tuple(found)


def _hunk(header: re.Match[bytes]) -> Hunk:
    start, count, new_start, new_count = (int(one or b"1") for one in header.groups())
    return Hunk(_span(start, count), _span(new_start, new_count))


def _span(start: int, count: int) -> Span:
    """`start,count` as git writes it: with a count of 0, `start` is the line above."""
    return Span(start - 1, start - 1 + count) if count else Span(start, start)


def changed_spans(hunks: Iterable[Hunk], indented: Sequence[bytes] | None = None) -> list[Span]:
    """What the hunks change of the old file.

    `indented` are its lines where indentation alone ends a block (Python): what is inserted below
    a block's last line is then part of it, or not, by its own indentation.
    """
    return [_changed(hunk, indented) for hunk in hunks]


def _changed(hunk: Hunk, indented: Sequence[bytes] | None) -> Span:
    if not hunk.added:
        return hunk.old
    if hunk.added[-1].lstrip().startswith(_ANNOTATIONS):
        return Span(hunk.old.low, hunk.old.low + 1)
    header = _header_above(hunk, indented) if indented else 0
    return Span(header - 1, header) if header else hunk.old


def _header_above(hunk: Hunk, lines: Sequence[bytes]) -> int:
    """The line of the block that holds the inserted lines; 0: none, it stands at the margin."""
    depth = _depth(hunk.added[0])
    return next(
        (
            number
            for number in range(min(hunk.old.low, len(lines)), 0, -1)
            if lines[number - 1].strip() and _depth(lines[number - 1]) < depth
        ),
        0,
    )


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def moved(span: Span, hunks: Sequence[Hunk]) -> Span:
    """Where a span of the old file is in the new one.

    What was replaced is at its replacement, what was removed between the lines that are left, and
    what was inserted at a span's edge is not in it.
    """
    if span.low == span.high:
        around = next((one for one in hunks if one.old.low < span.low < one.old.high), None)
        place = _last_line(span.high, hunks)
        return around.new if around else Span(place, place)
    return Span(_above(span.low, hunks), _last_line(span.high, hunks))


def _above(boundary: int, hunks: Sequence[Hunk]) -> int:
    """The new boundary above the old line below `boundary`."""
    shift = 0
    for old, new, _ in hunks:
        if old.low <= boundary < old.high:
            return new.low
        if old.high <= boundary:
            shift = new.high - old.high
    return boundary + shift


def _last_line(boundary: int, hunks: Sequence[Hunk]) -> int:
    """The new boundary below the old line above `boundary`."""
    shift = 0
    for old, new, _ in hunks:
        if old.low < boundary <= old.high:
            return new.high
        if old.low < boundary:
            shift = new.high - old.high
    return boundary + shift
