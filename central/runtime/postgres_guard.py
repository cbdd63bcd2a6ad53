"""Watchdog of the embedded PostgreSQL: restarts it if it is killed, hangs or lacks disk space."""

import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

import structlog

STARTS: Final = 5
WITHIN_SECONDS: Final = 600.0
HUNG_SECONDS: Final = 30.0  # far above what a busy machine needs to answer one byte
_LOOK_SECONDS: Final = 0.5
_ASK_SECONDS: Final = 5.0
_ANSWER_SECONDS: Final = 3.0

_log = structlog.get_logger(__name__)


class Guarded(Protocol):
    """The guarded server: central.runtime.postgres.EmbeddedServer."""

    def is_running(self) -> bool: ...
    def answers(self, seconds: float) -> bool: ...
    def kill(self) -> None: ...
    def disk_space_error(self) -> str: ...
    def start_again(self) -> None: ...


class Guard:
    """A thread that restarts PostgreSQL up to 5 times in 10 minutes, with growing pauses.

    A server that does not answer for `hung_seconds` is killed first. On a full disk it waits for
    space. After the last restart it calls `stop_server` once, and the thread ends.
    """

    def __init__(
        self,
        server: Guarded,
        *,
        stop_server: Callable[[], object],
        hung_seconds: float = HUNG_SECONDS,
        ask_seconds: float = _ASK_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._stop_server = stop_server
        self._hung_seconds = hung_seconds
        self._ask_seconds = ask_seconds
        self._clock = clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="postgres guard", daemon=True)
        self._starts: list[float] = []
        self._answered_at = self._asked_at = clock()
        self._lacks_space = False

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread before PostgreSQL is stopped on purpose."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(_LOOK_SECONDS):
            try:
                if not self.look():
                    self._stop_server()
                    return
            except Exception:  # noqa: BLE001 (nothing may end this thread)
                _log.exception("postgres_guard_failed")

    def look(self) -> bool:
        """Check the server and act; False if restarts have not helped."""
        if not self._server.is_running():
            return self._start_again()
        if self._clock() - self._asked_at >= self._ask_seconds:
            self._ask()
        return True

    def _ask(self) -> None:
        answers = self._server.answers(_ANSWER_SECONDS)
        self._asked_at = self._clock()
        if answers:
            self._answered_at = self._asked_at
        elif self._asked_at - self._answered_at >= self._hung_seconds:
            _log.error("postgres_hangs", seconds=round(self._asked_at - self._answered_at))
            self._server.kill()

    def _start_again(self) -> bool:
        if lack := self._server.disk_space_error():
            if not self._lacks_space:
                _log.error("postgres_waits_for_space", error=lack)
            self._lacks_space = True
            return True
        self._lacks_space = False
        now = self._clock()
        self._starts = [at for at in self._starts if now - at < WITHIN_SECONDS]
        if len(self._starts) == STARTS:
            _log.critical("postgres_given_up", starts=STARTS, within_seconds=WITHIN_SECONDS)
            return False
        if self._stopping.wait(pause_seconds(len(self._starts))):
            return True
        self._starts.append(self._clock())
        _log.error("postgres_gone", start=len(self._starts))
        self._server.start_again()
        self._answered_at = self._asked_at = self._clock()
        _log.warning("postgres_started_again", start=len(self._starts))
        return True


def pause_seconds(starts: int) -> float:
    """Return the pause before the next start: 0, 1, 3, 7, 15 seconds."""
    return 2.0**starts - 1
