"""A file's lines with sizes in characters, blank lines and suitable boundaries of chunks."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from indexer.records.files import Span

SOFT_CHARACTERS = 1_500  # a definition up to here stays whole
PART_CHARACTERS = 1_100  # what a part of a larger one aims at

_HEADING = re.compile(r"#{1,6}\s|={3,}|\[\S|--- |<h[1-6]")


class SourceLines:
    """The lines of `split_lines`, numbered from 1; spans are inclusive."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._sizes = [0, *accumulate(len(line) for line in lines)]

    def size(self, span: Span) -> int:
        return self._sizes[span.end] - self._sizes[span.start - 1]

    def lines_of(self, span: Span) -> Sequence[str]:
        return self.lines[span.start - 1 : span.end]

    def is_blank(self, line: int) -> bool:
        return not self.lines[line - 1].strip()

    def trim(self, start: int, end: int) -> Span | None:
        """Trim blank lines at both ends of start..end; None if all are blank."""
        while start <= end and self.is_blank(start):
            start += 1
        while end >= start and self.is_blank(end):
            end -= 1
        return Span(start, end) if start <= end else None

    def split(self, span: Span, max_lines: int | None = None) -> Iterator[Span]:
        """Split into parts of even size at headings, blank lines and outer levels."""
        while self._is_large(span, max_lines):
            cut = self._cut(span, max_lines)
            head, tail = self.trim(span.start, cut - 1), self.trim(cut, span.end)
            if head is not None:
                yield head
            if tail is None:
                return
            span = tail
        yield span

    def _is_large(self, span: Span, max_lines: int | None) -> bool:
        if span.start == span.end:
            return False
        too_long = max_lines is not None and span.end - span.start >= max_lines
        return too_long or self.size(span) > SOFT_CHARACTERS

    def _cut(self, span: Span, max_lines: int | None) -> int:
        """Return the line before which the first part of `span` ends; always inside the span."""
        size = self.size(span)
        target = size / max(2, round(size / PART_CHARACTERS)) * 1.15
        last = span.start + 1
        limit = span.end if max_lines is None else min(span.end, span.start + max_lines)
        while last < limit and self._sizes[last] - self._sizes[span.start - 1] < target:
            last += 1
        first = span.start + max(1, (last - span.start) * 2 // 5)
        return max(range(first, last + 1), key=self._boundary)

    def _boundary(self, line: int) -> tuple[bool, bool, int, int]:
        text = self.lines[line - 1]
        stripped = text.lstrip()
        after_blank = self.is_blank(line - 1)
        indent = len(text) - len(stripped) if stripped else 1_000
        closes = stripped[:1] in ("}", ")", "]")
        heading = after_blank and _HEADING.match(text) is not None
        return heading, after_blank and bool(stripped), -(indent + closes), line
