"""The embedded server's thread that brings the graph up to date.

Errors are logged and retried with backoff; the thread keeps running.
"""

import threading

import structlog
from django.conf import settings
from django.db import close_old_connections, connection

from central.knowledge import wakeup
from central.knowledge.services.catch_up import catch_up
from central.knowledge.services.snapshot import keep_snapshots

_LONGEST_BACKOFF_SECONDS = 30
_STOP_SECONDS = 10

_log = structlog.get_logger(__name__)


class GraphWorker:
    """Start it once in the process that serves."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="knowledge graph", daemon=True)

    def start(self) -> None:
        """Begin; what a killed server left is due and done first."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after what it is at; what is not done by then is due at the next start."""
        self._stopping.set()
        wakeup.changed.set()
        self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            wakeup.changed.clear()  # before looking: what is written from here on wakes again
            try:
                catch_up(is_stopping=self._stopping.is_set)
                keep_snapshots(is_stopping=self._stopping.is_set)
                failures = 0
            except Exception:  # noqa: BLE001 (nothing may end this thread)
                failures += 1
                _log.exception("graph_catch_up_failed", failures=failures)
            finally:
                close_old_connections()
                connection.close()
            if failures:
                self._stopping.wait(min(2**failures, _LONGEST_BACKOFF_SECONDS))
            else:
                wakeup.changed.wait(settings.SWEEP_SECONDS)
