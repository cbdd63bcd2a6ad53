"""The embedded server, which kills itself (SIGKILL) at a given line of an apply.

A trace function counts the lines that the apply executes in its own modules. With KILL_AT_LINE=0
it kills nothing and writes the count to KILL_COUNT_FILE when the apply ends.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

TRACED = tuple(
    str(Path(name))
    for name in (
        "central/ingest/services/applying.py",
        "central/ingest/services/uploading.py",
        "central/ingest/services/ending.py",
        "central/corpus/packages.py",
        "central/corpus/replace.py",
        "central/corpus/statistics.py",
    )
)


def is_first_of_victim(run: Any) -> bool:
    """Whether this apply is the first attempt at a run of the repository that is to suffer."""
    return bool(run.attempts == 1 and run.repository.name == "victim")


class Killer:
    """Counts lines between the start and the end of a first attempt's apply."""

    def __init__(self, kill_at: int, count_file: Path) -> None:
        self.kill_at = kill_at
        self.count_file = count_file
        self.lines: int | None = None

    def trace(self, frame: FrameType, event: str, _argument: Any) -> Any:
        """Called for every function call: look into the traced modules only."""
        if event != "call" or not frame.f_code.co_filename.endswith(TRACED):
            return None
        if frame.f_code.co_name == "_apply" and is_first_of_victim(frame.f_locals["claim"].run):
            self.lines = 0
            return self.trace_apply
        return self.trace_line if self.lines is not None else None

    def trace_apply(self, frame: FrameType, event: str, argument: Any) -> Any:
        """The apply itself: its return ends the counting."""
        if event == "return" and self.lines is not None:
            self.count_file.write_text(str(self.lines), encoding="ascii")
            self.lines = None
        elif self.lines is not None:
            self.trace_line(frame, event, argument)
        return self.trace_apply

    def trace_line(self, _frame: FrameType, event: str, _argument: Any) -> Any:
        """Count a line; die at the chosen one."""
        if event == "line" and self.lines is not None:
            self.lines += 1
            if self.lines == self.kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.trace_line


if __name__ == "__main__":
    killer = Killer(int(os.environ["KILL_AT_LINE"]), Path(os.environ["KILL_COUNT_FILE"]))
    threading.settrace(killer.trace)
    from central.serve import main

    sys.exit(main())
