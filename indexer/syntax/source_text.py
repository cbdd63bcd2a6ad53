"""A file's bytes as text by offset, with line and column of offsets."""

import re
from bisect import bisect_right
from functools import cached_property, lru_cache

import numpy as np

from indexer.syntax.expressions import MAX_EXPRESSION_CHARACTERS, read_arguments
from indexer.syntax.trees import ByteRange

_GAP = "\0"
_LONGEST_WHOLE = 2 * MAX_EXPRESSION_CHARACTERS
_PATH_ROOT = re.compile(rb"(?<![\w.:])([a-z_]\w*)\s*::")
_FIRST_NAME = re.compile(r"(?:[(&*\s\\:]|await\s|new\s)*([\w$@\x80-\U0010ffff]*)", re.ASCII)
_LF = ord("\n")


@lru_cache(maxsize=10_000)
def leading_identifier(written: str) -> str:
    """Return the name at the start of an expression; "" if there is none."""
    found = _FIRST_NAME.match(written)
    return found[1] if found else ""


class SourceText:
    """UTF-8 source. In ASCII files, offsets are used as character positions."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._ascii = source.decode("ascii") if source.isascii() else None
        line_ends = np.flatnonzero(np.frombuffer(source, np.uint8) == _LF)
        self.line_starts: list[int] = [0, *(line_ends + 1).tolist()]

    def slice(self, mark: ByteRange) -> str:
        """Return the text of a byte range."""
        start, end = mark
        if self._ascii is not None:
            return self._ascii[start:end]
        return self.source[start:end].decode("utf-8", "replace")

    def leading_identifier(self, mark: ByteRange) -> str:
        """Return the name at the start of an expression; "" if there is none."""
        if self._ascii is None:
            return leading_identifier(self.shortened(mark))
        found = _FIRST_NAME.match(self._ascii, *mark)
        return found[1] if found else ""

    def call(self, callee: ByteRange) -> str:
        """Return the text of a call, or of its callee alone if it is a long one."""
        start, end = callee
        name = self.slice(callee)
        written = self.slice((start, end + MAX_EXPRESSION_CHARACTERS))
        if not written.startswith("(", len(name)):
            return name
        _, last = read_arguments(written, len(name))
        return name if last < 0 else written[:last]

    def has_member_of(self, name: str) -> bool:
        """Whether `name.` occurs as a whole word."""
        return re.search(rb"(?<![\w.])%s\." % re.escape(name.encode()), self.source) is not None

    @cached_property
    def path_roots(self) -> frozenset[str]:
        """The first names of paths with `::`, without types."""
        return frozenset(name.decode() for name in _PATH_ROOT.findall(self.source))

    def shortened(self, mark: ByteRange) -> str:
        """Return the text of a byte range, or both ends of a long one, which suffice."""
        start, end = mark
        if end - start <= _LONGEST_WHOLE:
            return self.slice(mark)
        head = self.slice((start, start + MAX_EXPRESSION_CHARACTERS))
        return head + _GAP + self.slice((end - MAX_EXPRESSION_CHARACTERS, end))

    def line(self, offset: int) -> int:
        """Return the line of an offset."""
        return bisect_right(self.line_starts, offset)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, in characters, of an offset."""
        line = bisect_right(self.line_starts, offset)
        start = self.line_starts[line - 1]
        return line, offset - start if self._ascii is not None else len(self.slice((start, offset)))

    def position_of_last(self, name: str, written: str, end: int) -> tuple[int, int]:
        """Return line and column of the last `name` in `written`, which ends at `end`."""
        found = max(written.rfind(name), 0)
        if self._ascii is None:
            return self.position(end - len(written[found:].encode()))
        offset = end - len(written) + found
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1]
