"""Base of the management commands: errors, the organisation's argument, tables and progress."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import AbstractContextManager
from time import monotonic
from typing import Any, TextIO

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError

from central.errors import ServiceError
from indexer.errors import StoreError

_LINE_SECONDS = 5.0


class ServiceCommand(BaseCommand):
    """A command that reports the refusals of services and stores as its own errors."""

    # Those of settings. The others import all pages and views, which takes longer than most work.
    requires_system_checks = (Tags.compatibility,)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        del args
        try:
            self.run(options)
        except (ServiceError, StoreError) as exc:
            raise CommandError(str(exc)) from exc

    def run(self, options: dict[str, Any]) -> None:
        """Do what the command is for."""
        raise NotImplementedError

    def add_organization(self, parser: ArgumentParser) -> None:
        """Declare the required `--organization`."""
        parser.add_argument("--organization", required=True, metavar="SLUG")

    def print_table(self, columns: Sequence[str], rows: Sequence[object]) -> None:
        """Print the attributes `columns` of each row, below a heading."""
        cells = [list(columns), *([str(getattr(row, name)) for name in columns] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for line in cells:
            self.stdout.write("  ".join(map(str.ljust, line, widths)).rstrip())


def split_list(text: str) -> list[str]:
    """Split a comma-separated option."""
    return [word.strip() for word in text.split(",") if word.strip()]


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
        """Print its name and size."""
        self._name, self._chunks, self._done = repository, chunks, 0
        self._next_line_at = monotonic() + _LINE_SECONDS
        self._write(f"{repository}: {chunks} chunks")

    def advance(self, chunks: int) -> None:
        """Print a line if the last one is some seconds old."""
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
        """Advance the bar."""
        self._bars.advance(self._task, chunks)


def display() -> Lines | Bar:
    """Open the progress output that suits standard error."""
    return Bar() if sys.stderr.isatty() else Lines(sys.stderr)
