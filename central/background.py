"""Background work: waking the workers, and the embedded server's threads that do it.

With a broker, Celery workers do it, and a message wakes one. A wake-up may be lost: what is due is
found by the next sweep.
"""

import threading
from collections.abc import Callable
from typing import Protocol
from weakref import WeakSet

import structlog
from django.conf import settings
from django.db import close_old_connections, connection

_LONGEST_BACKOFF_SECONDS = 30

_log = structlog.get_logger(__name__)


class WakeUp:
    """The wake-up for one kind of work: a Celery task or, without a broker, events."""

    def __init__(self, task: str, *, expires_seconds: float | None = None) -> None:
        self._task = task
        self._expires_seconds = expires_seconds
        self._events: WeakSet[threading.Event] = WeakSet()

    def listen(self, event: threading.Event) -> None:
        """Set the event whenever something became due in this process."""
        self._events.add(event)

    def wake(self, *arguments: str) -> None:
        """Call it after the commit of what became due; never raises for a lost broker."""
        if not settings.CELERY_BROKER_URL:
            for event in list(self._events):
                event.set()
            return
        from central.celery import notify_worker  # the embedded server needs no Celery

        # By then the next sweep has sent a message, unless this one says more.
        expires = self._expires_seconds or float(settings.SWEEP_SECONDS)
        notify_worker(self._task, *arguments, expires=None if arguments else expires)


RUNS = WakeUp("central.ingest.tasks.apply_run")
BATCHES = WakeUp("central.ingest.tasks.stage", expires_seconds=60)  # then the apply stages them
GRAPH = WakeUp("central.knowledge.tasks.catch_up")
EDGES = WakeUp("central.trace.stored.tasks.follow")
BACKFILLS = WakeUp("central.onboarding.tasks.work")
ALERTS = WakeUp("central.alerts.tasks.send")
STORE = WakeUp("central.ingest.tasks.maintain", expires_seconds=3600)  # the next apply sends it


class Work(Protocol):
    """What a thread does."""

    def __call__(self, *, is_stopping: Callable[[], bool]) -> object: ...


class WorkerThread:
    """A thread that does `work` at each wake-up and, if it `sweeps`, SWEEP_SECONDS after the last.

    It does all that is due, or what is due until `is_stopping`. Errors are logged and retried with
    a back-off; the thread keeps running. `stop` waits `stop_seconds` for the present work.
    """

    def __init__(
        self,
        name: str,
        work: Work,
        *wake_ups: WakeUp,
        stop_seconds: float = 10,
        sweeps: bool = True,
    ) -> None:
        self._work = work
        self._stop_seconds = stop_seconds
        self._sweeps = sweeps
        self._stopping = threading.Event()
        self._due = threading.Event()
        for wake_up in wake_ups:
            wake_up.listen(self._due)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def is_stopping(self) -> bool:
        """Whether the thread must end."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Begin; what a killed server left is due and done first."""
        self._thread.start()

    def end_soon(self) -> None:
        """Let the thread end after what it is at; what is not done is due at the next start."""
        self._stopping.set()
        self._due.set()

    def stop(self) -> None:
        """End the thread, or leave it to the end of the process after a while."""
        self.end_soon()
        self._thread.join(self._stop_seconds)

    def _run(self) -> None:
        failures = 0
        while not self.is_stopping():
            self._due.clear()  # before looking: what is due from here on wakes again
            try:
                self._work_and_disconnect()
                failures = 0
            except Exception:  # noqa: BLE001 (nothing may end this thread)
                failures += 1
                _log.exception(
                    "background_work_failed", thread=self._thread.name, failures=failures
                )
            if failures:
                self._stopping.wait(min(2**failures, _LONGEST_BACKOFF_SECONDS))
            elif not self.is_stopping():
                self._due.wait(settings.SWEEP_SECONDS if self._sweeps else None)

    def _work_and_disconnect(self) -> None:
        try:
            self._work(is_stopping=self.is_stopping)
        finally:  # which also fails if the database is unavailable
            close_old_connections()
            connection.close()
