"""The progress of a run on standard error: a bar on a terminal, else occasional lines."""

import sys
from time import monotonic
from types import TracebackType
from typing import Final, Protocol, TextIO

from indexer.records.runs import Plan

_LINE_SECONDS: Final = 5.0
_PERCENT_SECONDS: Final = 10.0
_QUEUED: Final = "queued until a worker of the service is free"


class Progress(Protocol):
    """Receives the progress of a run."""

    def plan(self, plan: Plan) -> None:
        """Show the run's mode and reason."""
        ...

    def start(self, stage: str, total: int) -> None:
        """Begin a stage of `total` steps; 0 if the number is unknown."""
        ...

    def advance(self) -> None:
        """Count a finished step of the stage."""
        ...

    def wait(self) -> None:
        """Show that the run is queued for the stage."""
        ...

    def update(self, percent: int) -> None:
        """Set the percentage of a stage without known steps."""
        ...


class Display(Progress, Protocol):
    """A Progress that must be closed."""

    def __enter__(self) -> "Display": ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def display(*, plain: bool) -> Display:
    """Return a bar if standard error is a terminal, unless `plain`."""
    if plain or not sys.stderr.isatty():
        return Lines(sys.stderr)
    return Bar()


class Lines:
    """A display that writes a line when a stage begins, and one every few seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._stage = ""
        self._total = self._done = 0
        self._next_line_at = 0.0

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.flush()

    def plan(self, plan: Plan) -> None:
        """Write the mode and the reason."""
        self._write(f"mode: {plan.mode}, reason: {plan.reason}")

    def start(self, stage: str, total: int) -> None:
        """Write the stage's name."""
        self._stage, self._total, self._done = stage, total, 0
        self._next_line_at = monotonic() + (_LINE_SECONDS if total else _PERCENT_SECONDS)
        self._write(f"{stage}: {total:,}" if total else stage)

    def advance(self) -> None:
        """Count a step; write the count if the last line is some seconds old."""
        self._done += 1
        if monotonic() < self._next_line_at:
            return
        self._next_line_at = monotonic() + _LINE_SECONDS
        of_total = f": {self._done} of {self._total}" if self._total else " goes on"
        self._write(f"{self._stage}{of_total}")

    def wait(self) -> None:
        """Write that the run is queued if the last line is some seconds old."""
        self._write_rarely(_QUEUED)

    def update(self, percent: int) -> None:
        """Write the percentage if the last line is some seconds old."""
        self._write_rarely(f"{percent} %")

    def _write_rarely(self, text: str) -> None:
        now = monotonic()
        if now >= self._next_line_at:
            self._next_line_at = now + _PERCENT_SECONDS
            self._write(f"{self._stage}: {text}")

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")


class Bar:
    """A bar of rich, without its refresh thread, which would not survive a fork."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bars = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
        self._task = self._bars.add_task("opening", total=None)
        self._next_refresh_at = 0.0
        self._stage = ""

    def __enter__(self) -> "Bar":
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def plan(self, plan: Plan) -> None:
        """Print mode and reason above the bar."""
        self._bars.console.print(f"{plan.mode} run: {plan.reason}", markup=False)

    def start(self, stage: str, total: int) -> None:
        """Replace the bar by a new one."""
        self._stage = stage
        self._bars.reset(self._task, description=stage, total=total or None)
        self._bars.refresh()

    def advance(self) -> None:
        """Count a step; drawn at most ten times a second."""
        self._bars.advance(self._task)
        if monotonic() >= self._next_refresh_at:
            self._next_refresh_at = monotonic() + 0.1
            self._bars.refresh()

    def wait(self) -> None:
        """Draw that the run is queued, at once, as central's next answer may take seconds."""
        self._bars.update(self._task, description=f"{self._stage}: {_QUEUED}", refresh=True)

    def update(self, percent: int) -> None:
        """Draw the percentage at once, as central's next answer may take seconds."""
        self._bars.update(
            self._task, description=self._stage, completed=percent, total=100, refresh=True
        )
