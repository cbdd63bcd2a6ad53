"""A file's bytes as text by offset, and where in its lines something stands."""

import re
from bisect import bisect_right
from functools import cached_property

from indexer.expressions import MAX_EXPRESSION_CHARACTERS
from indexer.parsing import Mark

_GAP = "\0"


class SourceText:
    """UTF-8 source. That most files are ASCII spares them the counting of characters."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._is_ascii = source.isascii()

    def of(self, mark: Mark) -> str:
        """The text of a mark."""
        return self._cut(mark.start, mark.end)

    def ends(self, start: int, end: int) -> str:
        """A stretch of text; of a long one only both ends, as nobody reads more of it."""
        if end - start <= 2 * MAX_EXPRESSION_CHARACTERS:
            return self._cut(start, end)
        head = self._cut(start, start + MAX_EXPRESSION_CHARACTERS)
        return head + _GAP + self._cut(end - MAX_EXPRESSION_CHARACTERS, end)

    def column(self, mark: Mark) -> int:
        """Where a mark begins in its line, in characters."""
        if self._is_ascii:
            return mark.column
        return len(self._cut(mark.start - mark.column, mark.start))

    def place(self, mark: Mark, end: int, written: str, name: str) -> tuple[int, int]:
        """Line and column, in characters, of the last `name` of what is written up to `end`."""
        found = max(written.rfind(name), 0)
        offset = end - len(written[found:].encode())
        if self._is_ascii and offset >= mark.start and "\n" not in written:
            return mark.line, mark.column + offset - mark.start
        line = bisect_right(self._line_starts, offset)
        return line, len(self._cut(self._line_starts[line - 1], offset))

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(rb"\n", self._source))]

    def _cut(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")
