"""Changed lines of a file, in the text of git's unified diffs without context (`-U0`).

A hunk begins with `@@ -3,2 +3 @@`: two lines from line 3 became one. Its lines follow, each after
`-` or `+`. Of a merge it is git's combined diff: `@@@ -3,2 -4 +3 @@@` has the lines of each parent,
and each line a sign for each: `++` is new to both, ` +` to the second only. Nothing follows the
last `@`, and nothing says whether a file ends with a line feed.

Source: https://git-scm.com/docs/diff-format
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_HEADER: Final = re.compile(r"(@@+)((?: -\d+(?:,\d+)?)+) \+(\d+(?:,\d+)?) (@@+)")
_DIGITS: Final = 9  # of a line's number


class HunkError(ValueError):
    """A text that is no hunks."""


class LineRange(NamedTuple):
    """`size` lines from `first`; without any, `first` is the line before them."""

    first: int
    size: int

    @property
    def start(self) -> int:
        """The first of the lines, or the one that follows where there are none."""
        return self.first if self.size else self.first + 1


class Hunk(NamedTuple):
    """Lines of each parent that became others. `rows` are their signs, one a parent, and texts."""

    old: tuple[LineRange, ...]
    new: LineRange
    rows: list[tuple[str, str]]

    @property
    def added(self) -> list[tuple[int, str]]:
        """The lines that no parent has, each with its number in the new file."""
        number, found = self.new.start, []
        for signs, text in self.rows:
            if "-" in signs:
                continue
            if " " not in signs:
                found.append((number, text))
            number += 1
        return found

    @property
    def removed(self) -> list[tuple[int, str]]:
        """The lines that all parents had, each with its number in the first one's file."""
        number, found = self.old[0].start, []
        for signs, text in self.rows:
            if "+" not in signs and " " not in signs:
                found.append((number, text))
            number += has_line(signs, 0)
        return found


def has_line(signs: str, parent: int) -> bool:
    """Whether the file of a parent has the line; of a line that is gone, a space says no."""
    return signs[parent] == "-" or (signs[parent] == " " and "-" not in signs)


def parse_hunks(text: str) -> Iterator[Hunk]:
    """Yield the hunks of a file. Raises HunkError, after those before the bad one."""
    lines = text.split("\n")
    if lines.pop():
        raise HunkError("the last line must end with a line feed")
    at, last = 0, 0
    while at < len(lines):
        hunk = _header(lines[at])
        parents, at = len(hunk.old), at + 1
        while at < len(lines) and lines[at][:1] != "@":
            signs, row = lines[at][:parents], lines[at][parents:]
            if len(signs) < parents or not set(signs) <= _ROWS_OF[("-" in signs)]:
                raise HunkError(f"{lines[at][:40]!r} begins with no signs of {parents} parents")
            hunk.rows.append((signs, row))
            at += 1
        _check(hunk)
        if hunk.new.start < last:
            raise HunkError("hunks must ascend")
        last = hunk.new.start + hunk.new.size
        yield hunk


_ROWS_OF: Final = {True: {"-", " "}, False: {"+", " "}}


def _header(line: str) -> Hunk:
    found = _HEADER.fullmatch(line)
    if found is None or found[1] != found[4]:
        raise HunkError(f"{line[:40]!r} is no header of a hunk")
    parts = found[2].split()
    is_combined = len(parts) > 1
    old = tuple(_lines(part[1:], is_combined=is_combined) for part in parts)
    if len(old) != len(found[1]) - 1:
        raise HunkError(f"{line[:40]!r} has not a range for each parent")
    return Hunk(old, _lines(found[3], is_combined=is_combined), [])


def _lines(text: str, *, is_combined: bool) -> LineRange:
    """Of a range without lines, a combined diff says which line follows it."""
    first, _, count = text.partition(",")
    if max(len(first), len(count)) > _DIGITS:
        raise HunkError(f"no file has a line {text[:20]}")
    lines = LineRange(int(first), int(count or 1))
    return (
        lines._replace(first=max(lines.first - 1, 0)) if is_combined and not lines.size else lines
    )


def _check(hunk: Hunk) -> None:
    """Raise HunkError unless there are as many lines as the header says."""
    new = sum("-" not in signs for signs, _ in hunk.rows)
    old = [
        sum(has_line(signs, parent) for signs, _ in hunk.rows) for parent in range(len(hunk.old))
    ]
    if new != hunk.new.size or old != [lines.size for lines in hunk.old]:
        raise HunkError("a hunk has not as many lines as its header says")
