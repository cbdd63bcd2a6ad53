"""Matches in a file, as lines with ranges. Pure.

Lines are those of `indexer.records.files.split_lines`; columns and ranges count characters.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from aeterna_code_search.contract.search import MatchedLine
from central.search.exact.text_pattern import Span, TextPattern, finder

EXACT_MATCHES_OF_FILE: Final = 1_000  # of each term
EXACT_RESULT_BYTES: Final = 2 * 1024 * 1024  # of the lines of a result, as JSON
EXACT_LINE_CHARACTERS: Final = 500  # a longer line is cut around its first match
_LINE_FEED: Final = 0x0A
_LINE_BYTES: Final = 100  # of the JSON of a line beside its text and its ranges
_RANGE_BYTES: Final = 10
_TEXT: Final = re.compile(rb"[^\r\n]+")


@dataclass(frozen=True, slots=True)
class FileMatches:
    """The matches of a file in ascending order; `is_cut`: there are more than are listed."""

    spans: Sequence[Span]
    is_cut: bool = False


def file_matches(
    content: bytes,
    pattern: TextPattern,
    *,
    most: int = EXACT_MATCHES_OF_FILE,
    regions: Sequence[Span] | None = None,
) -> FileMatches:
    """Return the first `most` matches of a pattern. Raises SlowFileError.

    With `regions`, those that begin in one, cut at its end.
    """
    found = finder(pattern)(content)
    if regions is not None:
        found = clipped(found, regions)
    spans = list(islice(found, most))
    return FileMatches(spans, len(spans) == most and next(found, None) is not None)


def has_match(content: bytes, pattern: TextPattern) -> bool:
    """Return whether the pattern matches in the content. Raises SlowFileError."""
    return next(finder(pattern)(content), None) is not None


def clipped(spans: Iterator[Span], regions: Sequence[Span]) -> Iterator[Span]:
    """Yield those of ascending spans that begin in a region, each cut at the region's end."""
    at = 0
    for start, end in spans:
        while at < len(regions) and regions[at][1] <= start:
            at += 1
        if at == len(regions):
            return
        if regions[at][0] <= start:
            yield start, min(end, regions[at][1])


class Lines:
    """The lines of a file's content, by number and by offset in bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        ends = np.flatnonzero(np.frombuffer(content, np.uint8) == _LINE_FEED)
        self._starts = [0, *(ends + 1).tolist()]
        if self._starts[-1] == len(content) and content:
            self._starts.pop()  # a final LF starts no line

    def __len__(self) -> int:
        return len(self._starts) if self._content else 0

    def number(self, offset: int) -> int:
        """Return the line of a byte, from 1."""
        return bisect_right(self._starts, offset)

    def touched(self, span: Span) -> Iterator[int]:
        """Yield the lines of which a span has more than the end; if none, where it starts."""
        start, end = span
        is_empty = True
        for text in _TEXT.finditer(self._content, start, end):
            is_empty = False
            yield self.number(text.start())
        if is_empty:
            yield self.number(start)

    def text(self, number: int) -> bytes:
        """Return a line without its end."""
        start, end = self.bounds(number)
        return self._content[start:end]

    def bounds(self, number: int) -> Span:
        """Return where a line starts and ends, without its LF and the CR before it."""
        start = self._starts[number - 1]
        last = number == len(self._starts)
        end = len(self._content) if last else self._starts[number] - 1
        if last and self._content.endswith(b"\n"):
            end -= 1
        if end > start and self._content[end - 1] == 0x0D:
            end -= 1
        return start, end

    def block(self, first: int, last: int) -> str:
        """Return the text of lines, both included, as far as they exist, without the last LF."""
        first, last = max(1, first), min(len(self), last)
        if first > last:
            return ""
        return self._content[self._starts[first - 1] : self.bounds(last)[1]].decode()


def matched_lines(
    lines: Lines, spans: Sequence[Span], *, limit: int, defining: Collection[int] = ()
) -> tuple[list[MatchedLine], bool]:
    """Return `limit` lines with text that matches, and whether there are more.

    Definitions come first, then the others in order, up to EXACT_RESULT_BYTES. `defining`: lines
    on which a definition of a matched name begins.
    """
    by_line: dict[int, list[Span]] = {}
    for span in spans:
        for number in lines.touched(span):
            by_line.setdefault(number, []).append(span)
    chosen = sorted(by_line, key=lambda number: (number not in defining, number))[:limit]
    matched: list[MatchedLine] = []
    size = 0
    for number in chosen:
        line = _matched_line(lines, number, by_line[number], defines=number in defining)
        size += _json_size(line)
        if size > EXACT_RESULT_BYTES and matched:
            break
        matched.append(line)
    return matched, len(matched) < len(by_line)


def _json_size(line: MatchedLine) -> int:
    """Return about how many bytes a line has in an answer."""
    text = json.dumps(line.text, ensure_ascii=False)
    return _LINE_BYTES + len(text.encode()) + _RANGE_BYTES * len(line.ranges)


def _matched_line(
    lines: Lines, number: int, spans: Sequence[Span], *, defines: bool
) -> MatchedLine:
    start, end = lines.bounds(number)
    inside = _merged(
        [(max(start, first) - start, min(end, other) - start) for first, other in spans]
    )
    line = lines.text(number)
    text = line.decode()
    ranges = [[len(line[:first].decode()), len(line[:other].decode())] for first, other in inside]
    if len(text) <= EXACT_LINE_CHARACTERS:
        return MatchedLine(number, text, ranges, defines=defines)
    first = ranges[0][0] if ranges else 0
    begin = max(0, min(first - EXACT_LINE_CHARACTERS // 4, len(text) - EXACT_LINE_CHARACTERS))
    finish = begin + EXACT_LINE_CHARACTERS
    shown = [
        [max(first, begin) - begin, min(other, finish) - begin]
        for first, other in ranges
        if first < finish and other > begin
    ]
    return MatchedLine(
        number, text[begin:finish], shown, begin + 1, truncated=True, defines=defines
    )


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Join overlapping matches of several patterns."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif start < end:
            merged.append((start, end))
    return merged
