"""The embedded service's worker threads: runs, and optimisation of the store."""

import threading
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import close_old_connections, connection
from django.utils import timezone

from central.corpus.backends import vector_store
from central.github.services.deferred_events import carry_out_waiting
from central.ingest.services import queue_run
from central.ingest.services.apply_run import apply_next
from central.ingest.services.claims import expire_leases, sweep
from central.ingest.services.salvage import salvage_uploads
from central.maintenance.organization_deletion import purge_retired
from central.maintenance.reconcile import reconcile
from central.maintenance.retention import apply_retention
from central.repositories.states import RunState
from indexer.errors import StoreError

_RECONCILE_AT = timedelta(hours=3, minutes=17)  # past midnight, UTC
_LONGEST_BACKOFF_SECONDS = 30
_STOP_SECONDS = 30
_OPTIMIZER_STOP_SECONDS = 1

_log = structlog.get_logger(__name__)


def maintain_store() -> None:
    """Do what is due, beside searches and applies; what fails is logged, and due again."""
    try:
        vector_store().maintain()
    except StoreError as exc:
        _log.warning("maintenance_failed", error=str(exc))


class StoreOptimizer:
    """Start it once in the process that serves; `wake` says that something may be due."""

    def __init__(self) -> None:
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="optimizer", daemon=True)

    def start(self) -> None:
        """Begin, with what an earlier server may have left."""
        self._due.set()
        self._thread.start()

    def wake(self) -> None:
        """Look again, now or when the present optimisation is done."""
        self._due.set()

    def stop(self) -> None:
        """End the thread, or leave it to the end of the process: what it does is then due again."""
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
    """Start it once in the process that serves; `stop` waits for the apply that is under way."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
        self._reconcile_due = next_reconcile(timezone.now())
        self._is_first = True
        self._optimizer = StoreOptimizer()

    def start(self) -> None:
        """Begin; runs that a killed server left behind are taken up at once."""
        self._thread.start()
        self._optimizer.start()

    def stop(self) -> None:
        """Finish the run that is being applied, for up to 30 seconds, and end the thread.

        What is not finished by then is taken up at the next start.
        """
        self._stopping.set()
        queue_run.queued.set()
        self._thread.join(_STOP_SECONDS)
        self._optimizer.stop()

    def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            queue_run.queued.clear()  # before looking: what is queued from here on wakes again
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
        finally:  # which fails, too, where the database is away
            close_old_connections()
            connection.close()

    def _wait(self, failures: int) -> None:
        if failures:
            self._stopping.wait(min(2**failures, _LONGEST_BACKOFF_SECONDS))
        else:
            queue_run.queued.wait(settings.SWEEP_SECONDS)

    def _work(self) -> None:
        if self._is_first and settings.VECTOR_STORE_URL.startswith("edge:"):
            expire_leases()  # the embedded store belongs to this process: no other can apply
        self._is_first = False
        self._apply()
        while not self._stopping.is_set() and salvage_uploads():
            self._apply()
        self._run_nightly()
        if not self._stopping.is_set():
            purge_retired(go_on=self._apply)  # no run waits for more than one purge

    def _apply(self) -> bool:
        """Apply what is queued; false if the process is to stop."""
        for _ in sweep():  # so many, then what else is due: not which, as more may come meanwhile
            attempt = None if self._stopping.is_set() else apply_next()
            if attempt is None:
                break
            if attempt.state == RunState.APPLIED:
                self._optimizer.wake()
            carry_out_waiting()  # the apply held them up
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
    """When the nightly reconcile is due after `now`."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = midnight + _RECONCILE_AT
    return today if today > now else today + timedelta(days=1)
