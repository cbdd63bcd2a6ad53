"""Words of texts, and tables with what is read of each distinct word."""

import re
import threading
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, count, islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

# At most so many words in a table: some 15 MB, and the distinct words of 15 MB of code.
MAX_WORDS: Final = 65_536

# All other ASCII characters end a word, whatever reads it.
_WORD: Final = re.compile(r"[0-9A-Z_a-z\x80-\U0010ffff]+")

Numbers: TypeAlias = NDArray[np.int64]
ReadWords: TypeAlias = Callable[[Sequence[str]], Iterable[Sequence[int]]]


def split_words(text: str) -> list[str]:
    """Return the runs of ASCII letters, digits, underscores and characters beyond ASCII."""
    return _WORD.findall(text)


class Rows(NamedTuple):
    """Rows of integers, one after the other, and the length of each."""

    values: Numbers
    lengths: Numbers

    def positions(self) -> Numbers:
        """Return the position of each value in its row."""
        starts = self.lengths.cumsum() - self.lengths
        return np.arange(len(self.values)) - np.repeat(starts, self.lengths)

    def joined(self, counts: Sequence[int]) -> "Rows":
        """Join the first rows to one, and so on: as many for each as `counts` has."""
        return Rows(self.values, _sums(self.lengths, np.cumsum(counts, dtype=np.intp)))

    def only(self, kept: NDArray[np.bool_]) -> "Rows":
        """Return the rows with some of the values only."""
        return Rows(self.values[kept], _sums(kept, self.lengths.cumsum()))


def _sums(numbers: Numbers | NDArray[np.bool_], ends: Numbers) -> Numbers:
    """Return the sums of consecutive parts of an array."""
    sums: Numbers = np.diff(np.concatenate(([0], numbers.cumsum()))[ends], prepend=0)
    return sums


class WordTable:
    """A row of integers for each distinct word, which `read` reads once. Thread-safe.

    A full table starts over.
    """

    def __init__(self, read: ReadWords) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._clear()

    def __len__(self) -> int:
        return len(self._places)

    def rows(self, words: Sequence[str]) -> Rows:
        """Return the rows of the words, in order. Raises what `read` raises."""
        with self._lock:
            if len(self) > MAX_WORDS:
                self._clear()
            places = np.fromiter(map(self._places.__getitem__, words), np.intp, len(words))
            self._read_new()
            lengths = np.frombuffer(self._lengths, np.int64)[places]
            ends = np.frombuffer(self._ends, np.int64)[places]
            positions = np.repeat(ends - lengths.cumsum(), lengths) + np.arange(lengths.sum())
            return Rows(np.frombuffer(self._values, np.int64)[positions], lengths)

    def _clear(self) -> None:
        self._places: defaultdict[str, int] = defaultdict(count().__next__)
        self._values, self._lengths, self._ends = array("q"), array("q"), array("q")

    def _read_new(self) -> None:
        """Read the words that were looked up for the first time: the last ones."""
        new = list(islice(reversed(self._places), len(self) - len(self._lengths)))
        if not new:
            return
        try:
            rows = list(self._read(new[::-1]))
        except BaseException:
            self._clear()
            raise
        lengths = list(map(len, rows))
        start = len(self._values)
        self._ends.extend(start + end for end in accumulate(lengths))
        self._lengths.extend(lengths)
        self._values.extend(chain.from_iterable(rows))
