"""`codesearch watch` in a process of its own, for the benchmarks and the end-to-end tests."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from scripts.local_service import ROOT, ServiceError, clean_environment

WATCH = ("-m", "aeterna_code_search.cli", "watch", "--json")
_SECONDS = 120.0

Line = dict[str, Any]


class Watcher:
    """A running `watch --json`: the lines that it has printed, and those that it will print."""

    def __init__(
        self, checkout: Path, data_dir: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        data_dir.mkdir(parents=True, exist_ok=True)
        self._errors = data_dir / "watch.log"
        with self._errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, *WATCH, str(checkout)],
                cwd=ROOT,
                env=clean_environment({"AETERNA_DATA_DIR": str(data_dir), **(environment or {})}),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._lines: SimpleQueue[Line | None] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with self.process:
            for line in self.process.stdout or ():
                self._lines.put(json.loads(line))
        self._lines.put(None)

    def line(self, seconds: float = _SECONDS) -> Line:
        """The next line. Raises ServiceError if there is none in time, or none any more."""
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            line = None
        if line is None:
            raise ServiceError(f"The watcher is silent:\n{self._errors.read_text()[-3000:]}")
        return line

    def line_where(self, holds: Callable[[Line], bool]) -> Line:
        """The first line from here on for which something holds."""
        while not holds(line := self.line()):
            pass
        return line

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it by a signal; answers its exit code."""
        self.process.send_signal(number)
        self._reader.join(timeout=60)
        return self.process.wait(timeout=0)


@contextmanager
def running_watcher(
    checkout: Path, data_dir: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Watcher]:
    """A watcher whose first index is made; stopped at the end, whatever happens."""
    watcher = Watcher(checkout, data_dir, environment)
    try:
        watcher.line_where(lambda line: line["event"] == "watching")
        yield watcher
    finally:
        if watcher.process.poll() is None:
            watcher.stop()
