"""Embedded servers, one after another, each of which kills itself (SIGKILL) at a line of an apply.

For each line number on standard input this process forks a server, and says how it ended on
standard output: what a server takes long to import is imported once. It keeps PostgreSQL running,
as it does when a server alone is killed. A trace function counts the lines that the apply executes
in its own modules; where KILL_IN is `_stage`, those of a batch that is staged as it arrives. With 0
it kills nothing and writes the count to KILL_COUNT_FILE when the apply (or the batch) ends.
"""

import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parent.parent.parent
TRACED = frozenset(
    str(ROOT / name)
    for name in (
        "central/ingest/services/apply_run.py",
        "central/ingest/services/run_lifecycle.py",
        "central/corpus/packages.py",
        "central/corpus/replace.py",
        "central/ingest/services/vectors.py",
    )
)


def is_first_of_victim(caller: FrameType) -> bool:
    """Whether it works for the repository that is to suffer, in the first apply or before it.

    `caller` is of `_apply`, which has a claim, or of `_stage`, which has a run: an apply stages
    what was not staged as it arrived.
    """
    known = caller.f_locals
    run = known["claim"].row if "claim" in known else known["run"]
    is_first = run.attempts == 1 if "claim" in known else run.attempts <= 1
    return bool(is_first and run.repository.name == "victim")


class Killer:
    """Counts the lines of a function, and of what it calls in its thread.

    How many there are differs between two calls: the one that has fewer than `kill_at` ends with
    its process, too. Other threads, which answer requests meanwhile, do not count.
    """

    def __init__(self, kill_at: int, function: str, count_file: Path) -> None:
        self.kill_at = kill_at
        self.function = function
        self.count_file = count_file
        self.lines: int | None = None
        self.thread = 0

    def trace(self, frame: FrameType, event: str, _argument: Any) -> Any:
        """Called for every function call: look into the traced modules only."""
        if event != "call" or frame.f_code.co_filename not in TRACED:
            return None
        if frame.f_code.co_name == self.function and is_first_of_victim(frame):
            self.lines, self.thread = 0, threading.get_ident()
            return self.trace_function
        is_of_it = self.lines is not None and self.thread == threading.get_ident()
        return self.trace_line if is_of_it else None

    def trace_function(self, frame: FrameType, event: str, argument: Any) -> Any:
        """The function itself: its return ends the counting."""
        if event == "return" and self.lines is not None:
            if self.kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            self.count_file.write_text(str(self.lines), encoding="ascii")
            self.lines = None
        elif self.lines is not None:
            self.trace_line(frame, event, argument)
        return self.trace_function

    def trace_line(self, _frame: FrameType, event: str, _argument: Any) -> Any:
        """Count a line; die at the chosen one."""
        if event == "line" and self.lines is not None:
            self.lines += 1
            if self.lines == self.kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.trace_line


def load() -> None:
    """Import what a server imports; opens no connection and starts no thread."""
    import django
    from django.urls import get_resolver

    import central.serve  # it names the settings

    django.setup()
    assert get_resolver().url_patterns
    import central.asgi  # noqa: F401
    from indexer.embedding.builtin import load_packaged

    load_packaged()


def serve(kill_at: int) -> NoReturn:
    """The server, in a process that ends with it."""
    from central.serve import main

    killer = Killer(
        kill_at, os.environ.get("KILL_IN", "_apply"), Path(os.environ["KILL_COUNT_FILE"])
    )
    threading.settrace(killer.trace)
    code = 1
    try:
        code = main()
    except SystemExit as exc:
        code = exc.code if isinstance(exc.code, int) else 1
    except Exception:  # noqa: BLE001 (nobody else would tell of it)
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    load()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            serve(int(line))
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()
