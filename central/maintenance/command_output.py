"""Progress and tables of management commands."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from time import monotonic
from typing import TextIO

_LINE_SECONDS = 5.0


class Lines:
    """A line for each repository, and one every few seconds while it lasts."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next_line_at = 0.0
        self._name = ""
        self._chunks = self._done = 0

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.flush()

    def begin(self, repository: str, chunks: int) -> None:
        """Name it."""
        self._name, self._chunks, self._done = repository, chunks, 0
        self._next_line_at = monotonic() + _LINE_SECONDS
        self._write(f"{repository}: {chunks} chunks")

    def advance(self, chunks: int) -> None:
        """Say so if the last line is some seconds old."""
        self._done += chunks
        if monotonic() >= self._next_line_at:
            self._next_line_at = monotonic() + _LINE_SECONDS
            self._write(f"{self._name}: {self._done} of {self._chunks}")

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class Bar(AbstractContextManager["Bar"]):
    """A bar for each repository, in the same line."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bars = Progress(console=Console(stderr=True), transient=True)
        self._task = self._bars.add_task("", total=None)

    def __enter__(self) -> "Bar":
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def begin(self, repository: str, chunks: int) -> None:
        """Begin a new bar in the old one's place."""
        self._bars.remove_task(self._task)
        self._task = self._bars.add_task(repository, total=chunks)

    def advance(self, chunks: int) -> None:
        """Move it."""
        self._bars.advance(self._task, chunks)


def display() -> Lines | Bar:
    """What suits standard error."""
    return Bar() if sys.stderr.isatty() else Lines(sys.stderr)


def table_lines(rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """The lines of a table; the first row is the heading."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()
