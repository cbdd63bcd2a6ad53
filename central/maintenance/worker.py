"""The embedded service's worker threads, for runs and for the optimisation of the store.

Errors are logged and retried with backoff; the threads keep running.
"""

import threading
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import close_old_connections, connection
from django.utils import timezone

from central.corpus.backends import is_store_embedded, vector_store
from central.github.services.deferred_events import apply_deferred
from central.ingest import wakeup
from central.ingest.services.apply_run import apply_next
from central.ingest.services.claims import expire_leases, sweep
from central.ingest.services.salvage import salvage_uploads
from central.ingest.services.staging import stage_uploads
from central.maintenance.organization_deletion import purge_retired
from central.maintenance.reconcile import reconcile
from central.maintenance.retention import apply_retention
from central.maintenance.text_upkeep import maintain_text_index
from central.repositories.states import RunState
from indexer.errors import StoreError

_RECONCILE_AT = timedelta(hours=3, minutes=17)  # past midnight, UTC
_LONGEST_BACKOFF_SECONDS = 30
_STOP_SECONDS = 30
_OPTIMIZER_STOP_SECONDS = 1

_log = structlog.get_logger(__name__)


def maintain_store() -> None:
    """Run the deferred work of the store, beside searches and applies; errors are logged."""
    try:
        vector_store().maintain()
    except StoreError as exc:
        _log.warning("maintenance_failed", error=str(exc))


class StoreOptimizer:
    """The thread that optimises the store; `wake` reports that work may be due."""

    def __init__(self) -> None:
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="optimizer", daemon=True)

    def start(self) -> None:
        """Start with the leftovers of an earlier server."""
        self._due.set()
        self._thread.start()

    def wake(self) -> None:
        """Check for work again, now or after the present optimisation."""
        self._due.set()

    def stop(self) -> None:
        """End the thread, or leave it to the end of the process: its work is due again later."""
        self._stopping.set()
        self._due.set()
        self._thread.join(_OPTIMIZER_STOP_SECONDS)

    def _run(self) -> None:
        while self._due.wait() and not self._stopping.is_set():
            self._due.clear()
            try:
                maintain_store()
            except Exception:  # noqa: BLE001 (nothing may end this thread)
                _log.exception("maintenance_failed")


class EmbeddedWorker:
    """The thread that applies runs and maintains the index; `stop` waits for the present apply."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
        self._reconcile_due = next_reconcile(timezone.now())
        self._is_first = True
        self._optimizer = StoreOptimizer()

    def start(self) -> None:
        """Start; runs of a killed server are continued at once."""
        self._thread.start()
        self._optimizer.start()

    def stop(self) -> None:
        """Finish the run that is being applied, for up to 30 seconds, and end the thread.

        An unfinished run is continued at the next start.
        """
        self._stopping.set()
        wakeup.due.set()
        self._thread.join(_STOP_SECONDS)
        self._optimizer.stop()

    def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            wakeup.due.clear()  # before looking: what comes from here on wakes again
            try:
                self._work_and_disconnect()
                failures = 0
            except Exception:  # noqa: BLE001 (nothing may end this thread)
                failures += 1
                _log.exception("sweep_failed", failures=failures)
            self._wait(failures)

    def _work_and_disconnect(self) -> None:
        try:
            self._work()
        finally:  # which also fails if the database is unavailable
            close_old_connections()
            connection.close()

    def _wait(self, failures: int) -> None:
        if failures:
            self._stopping.wait(min(2**failures, _LONGEST_BACKOFF_SECONDS))
        else:
            wakeup.due.wait(settings.SWEEP_SECONDS)

    def _work(self) -> None:
        if self._is_first and is_store_embedded():
            expire_leases()  # the embedded store belongs to this process: no other can apply
        self._is_first = False
        self._apply()
        while not self._stopping.is_set() and stage_uploads():
            self._apply()
        while not self._stopping.is_set() and salvage_uploads():
            self._apply()
        maintain_text_index(go_on=self._apply)
        self._run_nightly()
        if not self._stopping.is_set():
            purge_retired(go_on=self._apply)  # no run waits for more than one purge

    def _apply(self) -> bool:
        """Apply queued runs; false if the thread must stop."""
        for _ in sweep():  # as many as were waiting; then other work is due
            attempt = None if self._stopping.is_set() else apply_next()
            if attempt is None:
                break
            if attempt.state == RunState.APPLIED:
                self._optimizer.wake()
            apply_deferred()  # the apply blocked them
        return not self._stopping.is_set()

    def _run_nightly(self) -> None:
        if self._stopping.is_set() or timezone.now() < self._reconcile_due:
            return
        self._reconcile_due = next_reconcile(timezone.now())
        try:
            apply_retention(now=timezone.now())
        finally:
            reconcile(repair=True)
            self._optimizer.wake()


def next_reconcile(now: datetime) -> datetime:
    """Return the time of the next nightly reconcile after `now`."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = midnight + _RECONCILE_AT
    return today if today > now else today + timedelta(days=1)
