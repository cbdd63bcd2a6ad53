"""Lines and columns in a file of what masked code has at the same offsets."""

from functools import cached_property

from indexer.syntax.source_text import SourceText


class HostPositions:
    """Translates positions in `masked` to those in `source`, which has the same length.

    Lines differ if the masked text has further line feeds, columns if a text is not ASCII.
    """

    def __init__(self, source: bytes, masked: bytes) -> None:
        self._source = source
        self.masked = masked
        self.has_same_lines = source.count(b"\n") == masked.count(b"\n")
        self.are_same = self.has_same_lines and source.isascii() and masked.isascii()

    @cached_property
    def _host(self) -> SourceText:
        return SourceText(self._source)

    @cached_property
    def _starts(self) -> list[int]:
        return SourceText(self.masked).line_starts

    def line(self, line: int) -> int:
        """Return the file's line of a line of the masked code."""
        return line if self.has_same_lines else self._host.line(self._starts[line - 1])

    def position(self, line: int, column: int) -> tuple[int, int]:
        """Return the file's line and column, in characters, of those in the masked code."""
        if self.are_same:
            return line, column
        start = self._starts[line - 1]
        before = self.masked[start : start + 4 * column].decode("utf-8", "replace")[:column]
        return self._host.position(start + len(before.encode()))
