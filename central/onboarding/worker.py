"""The embedded server's threads that work on backfills.

Errors are logged and retried with backoff; the threads keep running.
"""

import threading

import structlog
from django.conf import settings
from django.db import close_old_connections, connection

from central.onboarding import wakeup
from central.onboarding.services.listing import list_next
from central.onboarding.services.queue import expire_leases, queue_pushed
from central.onboarding.services.work import remove_leftovers, work_next

_LONGEST_BACKOFF_SECONDS = 30
_STOP_SECONDS = 5

_log = structlog.get_logger(__name__)


class BackfillWorker:
    """Start it once in the process that serves."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(
                target=self._run, args=(number,), name=f"backfill {number}", daemon=True
            )
            for number in range(settings.BACKFILL.at_once)
        ]

    def start(self) -> None:
        """Begin; what a killed server left is due at once."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the threads; a clone that is not finished is done again at the next start."""
        self._stopping.set()
        wakeup.changed.set()
        for thread in self._threads:
            thread.join(_STOP_SECONDS)

    def _run(self, number: int) -> None:
        failures, is_first = 0, number == 0
        while not self._stopping.is_set():
            wakeup.changed.clear()  # before looking: what is queued from here on wakes again
            try:
                if is_first:
                    expire_leases()
                    remove_leftovers()
                    is_first = False
                self._work(number)
                failures = 0
            except Exception:  # noqa: BLE001 (nothing may end this thread)
                failures += 1
                _log.exception("backfill_worker_failed", failures=failures)
            finally:
                close_old_connections()
                connection.close()
            if failures:
                self._stopping.wait(min(2**failures, _LONGEST_BACKOFF_SECONDS))
            elif not self._stopping.is_set():
                wakeup.changed.wait(settings.SWEEP_SECONDS)

    def _work(self, number: int) -> None:
        if number == 0:
            queue_pushed()
        while not self._stopping.is_set() and (
            list_next() or work_next(is_stopping=self._stopping.is_set)
        ):
            pass
