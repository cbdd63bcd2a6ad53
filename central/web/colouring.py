"""Code cut into coloured pieces, by a process with limits.

Lexers are regular expressions: on hostile text one match may block the interpreter for hours. One
process for all threads runs them, started at first use.
"""

import atexit
import threading
from array import array
from bisect import bisect_right
from hashlib import sha256
from time import monotonic
from typing import Final, NamedTuple

import structlog

from central.limited_process import ChildEndedError, LimitedProcess, LimitExceededError
from central.sized_cache import SizedCache
from indexer.limits import COLOURING_CPU_SECONDS

COLOURED_CHARACTERS: Final = 100_000  # of ordinary code 0.15 s; a longer text is shown plain
COLOURING_SECONDS: Final = 5.0  # of waiting for it, on a busy machine
COLOURING_PAUSE_SECONDS: Final = 1.0  # after a text that exceeded the limits
_CHILD = "central.web.colouring_child"
_KILLED_AFTER = 1.5  # times its time: a text that is slow all over keeps its beginning

# Lexing ten results costs a third of a search's page, and popular ones are shown again and again.
# What is kept is found by its whole text alone and says nothing that the text does not.
_KEPT_SNIPPETS = 2_000
_SNIPPET_CHARACTERS = 1_500  # 3 kB with its cuts, 21 kB whatever it holds: 42 MB at most

TOO_LONG = f"Shown without colours: it has more than {COLOURED_CHARACTERS:,} characters."
TOO_SLOW = "Shown without colours: colouring this text takes too much time or memory."
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
        self._process = LimitedProcess(
            _CHILD, cpu_seconds=cpu_seconds * _KILLED_AFTER, seconds=seconds
        )
        self._resumes = 0.0

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def pieces(self, code: str, language: str) -> Pieces:
        """Return the pieces of `code`; plain, with a note, if its time was not enough.

        Raises ColouringBusyError if other texts are in the way or there is no process.
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
            self._process.close()

    def _pieces(self, code: str, language: str) -> Pieces:
        if monotonic() < self._resumes:
            raise ColouringBusyError
        try:
            classes, ends, is_whole = self._process.ask([language, code, self._cpu_seconds])
        except LimitExceededError as exc:
            self._pause(language, exc)
            return _plain(code, TOO_SLOW)
        except ChildEndedError as exc:
            self._pause(language, exc)
            raise ColouringBusyError from exc
        return Pieces(classes, array("I", ends), "" if is_whole else TOO_SLOW_FROM_HERE)

    def _pause(self, language: str, exc: Exception) -> None:
        self._resumes = monotonic() + self._pause_seconds
        _log.warning("colouring_given_up", language=language, error=repr(exc))


_colouring = Colouring()
atexit.register(_colouring.close)


def coloured(code: str, language: str, *, before: str = "") -> Pieces:
    """The pieces of `code`. Where there are no colours, the note says why.

    `before` is the text of the file before it, which tells whether it begins inside of a string
    or a comment; not looked at where that would be too long.
    """
    if len(code) > COLOURED_CHARACTERS:
        return _plain(code, TOO_LONG)
    if len(before) + len(code) > COLOURED_CHARACTERS:
        before = ""
    try:
        if len(code) > _SNIPPET_CHARACTERS:
            return _pieces_after(before, code, language)
        digest = sha256(before.encode(errors="replace")).digest() if before else b""
        return _kept_pieces(digest, before, code, language)
    except ColouringBusyError:
        return _plain(code, BUSY)


def _pieces_after(before: str, code: str, language: str) -> Pieces:
    whole = _colouring.pieces(before + code, language)
    first = bisect_right(whole.ends, len(before)) if before else 0
    ends = array("I", [end - len(before) for end in whole.ends[first:]])
    return Pieces(whole.classes[first:], ends, whole.note)


_kept = SizedCache[tuple[bytes, str, str], Pieces](_KEPT_SNIPPETS)


def _kept_pieces(digest: bytes, before: str, code: str, language: str) -> Pieces:
    """Return the pieces of `code` after text with this digest. Raises ColouringBusyError."""
    key = digest, code, language
    pieces = _kept.get(key)
    if pieces is None:
        pieces = _pieces_after(before, code, language)
        _kept.put(key, pieces, 1)
    return pieces


def _plain(code: str, note: str) -> Pieces:
    return Pieces(" ", array("I", [len(code)]), note)
