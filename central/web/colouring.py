"""Code cut into coloured pieces, by a process that can be killed.

Lexers are regular expressions: on hostile text one match may block the interpreter for hours. One
process for all threads runs them, started at first use. The kernel ends it at its time limit.
"""

import atexit
import json
import signal
import socket
import subprocess
import sys
import threading
from array import array
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import structlog

from indexer.limits import (
    COLOURED_CHARACTERS,
    COLOURING_CPU_SECONDS,
    COLOURING_PAUSE_SECONDS,
    COLOURING_SECONDS,
)

_ROOT = Path(__file__).resolve().parents[2]

# Lexing ten results costs a third of a search's page, and popular ones are shown again and again.
# What is kept is found by its whole text alone and says nothing that the text does not.
_KEPT_SNIPPETS = 2_000
_SNIPPET_CHARACTERS = 1_500  # 3 kB with its cuts, 21 kB whatever it holds: 42 MB at most

TOO_LONG = f"Shown without colours: it has more than {COLOURED_CHARACTERS:,} characters."
TOO_SLOW = "Shown without colours: colouring this text takes too long."
TOO_SLOW_FROM_HERE = "Only the beginning has colours: colouring all of it takes too long."
BUSY = "Shown without colours: colouring is busy. Load the page again in a moment."

_log = structlog.get_logger(__name__)


class Pieces(NamedTuple):
    """Code in pieces of one class each: all of it, in order."""

    classes: str  # one character each, of `site.css`; a space is none
    ends: "array[int]"
    note: str = ""  # why colours are missing, for the reader


class ColouringBusyError(Exception):
    """No colours now; the same text may have them later."""


class Colouring:
    """The colouring process. Safe to share between threads; create a new one after a fork."""

    def __init__(
        self,
        *,
        cpu_seconds: float = COLOURING_CPU_SECONDS,
        seconds: float = COLOURING_SECONDS,
        pause_seconds: float = COLOURING_PAUSE_SECONDS,
    ) -> None:
        """`cpu_seconds` of the processor for one text, `seconds` of waiting for it.

        After a text that was given up there are no colours for `pause_seconds`, so that a page of
        hostile texts costs one, not one for each.
        """
        self._cpu_seconds = cpu_seconds
        self._seconds = seconds
        self._pause_seconds = pause_seconds
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._resumes = 0.0

    @property
    def pid(self) -> int | None:
        """The process's id, while there is one."""
        process = self._process
        return process.pid if process else None

    def pieces(self, code: str, language: str) -> Pieces:
        """The pieces of `code`; plain, with a note, if its time was not enough.

        Raises ColouringBusyError: other texts are in the way, or there can be no process.
        """
        if not self._lock.acquire(timeout=self._seconds):
            raise ColouringBusyError
        try:
            return self._pieces(code, language)
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process. The next text starts another."""
        with self._lock:
            self._end()

    def _pieces(self, code: str, language: str) -> Pieces:
        if monotonic() < self._resumes:
            raise ColouringBusyError
        try:
            if self._process is None:
                self._process = _Process(self._cpu_seconds, self._seconds)
            classes, ends, is_whole = self._process.ask(code, language)
        except (EOFError, OSError) as exc:  # a timeout too
            code_of_exit = self._give_up(language, exc)
            if code_of_exit == -signal.SIGPROF:
                return _plain(code, TOO_SLOW)
            raise ColouringBusyError from exc
        except BaseException:
            self._end()  # an answer may be under way, which is not the next text's
            raise
        return Pieces(classes, array("I", ends), "" if is_whole else TOO_SLOW_FROM_HERE)

    def _give_up(self, language: str, exc: Exception) -> int | None:
        code_of_exit = self._end()
        self._resumes = monotonic() + self._pause_seconds
        _log.warning(
            "colouring_given_up", language=language, error=repr(exc), exit_code=code_of_exit
        )
        return code_of_exit

    def _end(self) -> int | None:
        """Its exit code, negative if a signal ended it; None if there was no process."""
        process, self._process = self._process, None
        return None if process is None else process.end()


class _Process:
    """A running colouring process. It ends when the parent does: its connection closes then."""

    def __init__(self, cpu_seconds: float, seconds: float) -> None:
        self._connection, other = socket.socketpair()
        self._connection.settimeout(seconds)
        self._answers = self._connection.makefile("rb")
        try:
            with other:
                self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - this interpreter, our own module
                    [sys.executable, "-m", "central.web.colouring_child", str(cpu_seconds)],
                    cwd=_ROOT,  # where -m finds the package, whatever the parent's path is
                    stdin=other.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,  # out of reach of the terminal's Ctrl-C
                )
        except OSError:
            self._close()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, code: str, language: str) -> tuple[str, list[int], bool]:
        """What `colouring_child.cut` returns. Raises EOFError or OSError: it ended, or hangs."""
        self._connection.sendall(json.dumps([language, code]).encode() + b"\n")
        answer = self._answers.readline()
        if not answer.endswith(b"\n"):
            raise EOFError
        classes, ends, is_whole = json.loads(answer)
        return classes, ends, is_whole

    def end(self) -> int:
        self._close()
        self._process.kill()
        return self._process.wait()

    def _close(self) -> None:
        self._answers.close()
        self._connection.close()


_colouring = Colouring()
atexit.register(_colouring.close)


def coloured(code: str, language: str) -> Pieces:
    """The pieces of `code`. Where there are no colours, the note says why."""
    if len(code) > COLOURED_CHARACTERS:
        return _plain(code, TOO_LONG)
    ask = _kept if len(code) <= _SNIPPET_CHARACTERS else _colouring.pieces
    try:
        return ask(code, language)
    except ColouringBusyError:
        return _plain(code, BUSY)


@lru_cache(maxsize=_KEPT_SNIPPETS)
def _kept(code: str, language: str) -> Pieces:
    return _colouring.pieces(code, language)


def _plain(code: str, note: str) -> Pieces:
    return Pieces(" ", array("I", [len(code)]), note)
