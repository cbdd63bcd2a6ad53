"""Limits of a parse in counts, not in time, so that equal bytes give equal results."""

import sys

import numpy as np

# tree-sitter reports progress every 100 operations. Real code needs 3 to 20 reports per 1,000
# bytes, and at most 5 while it recovers from errors, where a report may take 10 ms.
_MIN_REPORTS = 500
_BYTES_PER_REPORT = 50
_MAX_ERROR_REPORTS = 300
# A lexer that looks for a missing end reads to the end of the file, for each token again.
_READ_BYTES = 4_096
_TEXT_BYTES = 64  # of a predicate's text, which is mostly a name
_MIN_READS = 500
_MAX_REREADS = 40

_BRACKET_STEP = np.zeros(256, dtype=np.int8)
_BRACKET_STEP[list(b"([{")] = 1
_BRACKET_STEP[list(b")]}")] = -1
_NOT_BRACKETS = bytes(byte for byte in range(256) if not _BRACKET_STEP[byte])


def bracket_depth(source: bytes) -> int:
    """Return the deepest nesting of brackets, including those in strings and comments."""
    brackets = np.frombuffer(source.translate(None, _NOT_BRACKETS), dtype=np.uint8)
    if not brackets.size:
        return 0
    depths = np.cumsum(_BRACKET_STEP[brackets], dtype=np.int64)
    return int((depths - np.minimum.accumulate(np.minimum(depths, 0))).max())


class Budget:
    """Counts the parser's operations and its lexer's reads."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._reports = _MIN_REPORTS + len(source) // _BYTES_PER_REPORT
        self._error_reports = _MAX_ERROR_REPORTS
        self._reads = _MIN_READS + _MAX_REREADS * len(source) // _READ_BYTES
        self._read_bytes = _READ_BYTES

    @property
    def is_exhausted(self) -> bool:
        return self._reports < 0 or self._error_reports < 0 or self._reads < 0

    def consume(self, _offset: int, has_error: bool) -> bool:
        """Whether to stop; called every 100 operations."""
        self._reports -= 1
        self._error_reports -= has_error
        return self.is_exhausted

    def reset(self) -> None:
        """Remove the limits: predicates read text through the tree and do not end without it.

        They look at each byte that they are given, also after the end of their node.
        """
        self._reads = sys.maxsize
        self._read_bytes = _TEXT_BYTES

    def read(self, offset: int, _point: object) -> bytes:
        """Return the bytes from `offset`; none once the budget is exhausted: the scan ends."""
        self._reads -= 1
        return b"" if self._reads < 0 else self._source[offset : offset + self._read_bytes]
