"""A file's bytes as text by offset, and where in its lines something stands."""

import re
from bisect import bisect_right
from functools import cached_property

from indexer.expressions import MAX_EXPRESSION_CHARACTERS
from indexer.parsing import Mark

_GAP = "\0"
_PATH_ROOT = re.compile(rb"(?<![\w.:])([a-z_]\w*)\s*::")
_FIRST_NAME = re.compile(rb"(?:[(&*\s\\:]|await\s|new\s)*([\w$@\x80-\xff]*)")


class SourceText:
    """UTF-8 source. That most files are ASCII spares them the counting of characters."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._ascii = source.decode("ascii") if source.isascii() else None
        self._line_starts = [0, *(found.end() for found in re.finditer(rb"\n", source))]

    def of(self, mark: Mark) -> str:
        """The text of a mark."""
        start, end = mark
        if self._ascii is not None:
            return self._ascii[start:end]
        return self._source[start:end].decode("utf-8", "replace")

    def first_name(self, mark: Mark) -> str:
        """The name that an expression begins with; "" if it begins otherwise."""
        found = _FIRST_NAME.match(self._source, *mark)
        return found[1].decode("utf-8", "replace") if found else ""

    def has_member_of(self, name: str) -> bool:
        """Whether `name.` stands anywhere as a whole word."""
        return re.search(rb"(?<![\w.])%s\." % re.escape(name.encode()), self._source) is not None

    @cached_property
    def path_roots(self) -> frozenset[str]:
        """The names that paths with `::` begin with, types left out."""
        return frozenset(name.decode() for name in _PATH_ROOT.findall(self._source))

    def ends(self, start: int, end: int) -> str:
        """A stretch of text; of a long one only both ends, as nobody reads more of it."""
        if end - start <= 2 * MAX_EXPRESSION_CHARACTERS:
            return self.of((start, end))
        head = self.of((start, start + MAX_EXPRESSION_CHARACTERS))
        return head + _GAP + self.of((end - MAX_EXPRESSION_CHARACTERS, end))

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return bisect_right(self._line_starts, offset)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, in characters, of an offset."""
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        return line, offset - start if self._ascii is not None else len(self.of((start, offset)))

    def place_of_last(self, name: str, written: str, end: int) -> tuple[int, int]:
        """Where `name` stands for the last time in what is written up to `end`."""
        after = written[max(written.rfind(name), 0) :]
        return self.place(end - (len(after) if after.isascii() else len(after.encode())))
