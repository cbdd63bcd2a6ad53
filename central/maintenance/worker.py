"""The embedded service's worker threads: runs, and optimisation of the store."""

import threading
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import close_old_connections, connection
from django.utils import timezone

from central.corpus.backends import vector_store
from central.github.services.deferred_events import apply_deferred
from central.ingest import wakeup
from central.ingest.models import RunState
from central.ingest.services.apply_run import apply_next
from central.ingest.services.claims import release_leases, sweep
from central.ingest.services.salvage import keep_uploads
from central.maintenance.organization_deletion import purge_organizations
from central.maintenance.reconcile import reconcile
from central.maintenance.repository_deletion import purge_repository, purgeable_repositories
from central.maintenance.retention import forget
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
        _log.warning("upkeep_failed", error=str(exc))


class Upkeep:
    """Start it once in the process that serves; `wake` says that something may be due."""

    def __init__(self) -> None:
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Begin, with what an earlier server may have left."""
        self._due.set()
        self._thread.start()

    def wake(self) -> None:
        """Look again, now or when the present upkeep is done."""
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
                _log.exception("upkeep_failed")


class Sweeper:
    """Start it once in the process that serves; `stop` waits for the apply that is under way."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
        self._reconcile_due = next_reconcile(timezone.now())
        self._is_first = True
        self._upkeep = Upkeep()

    def start(self) -> None:
        """Begin; runs that a killed server left behind are taken up at once."""
        self._thread.start()
        self._upkeep.start()

    def stop(self) -> None:
        """Finish the run that is being applied, for up to 30 seconds, and end the thread.

        What is not finished by then is taken up at the next start.
        """
        self._stopping.set()
        wakeup.queued.set()
        self._thread.join(_STOP_SECONDS)
        self._upkeep.stop()

    def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            wakeup.queued.clear()  # before looking: what is queued from here on wakes again
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
            wakeup.queued.wait(settings.SWEEP_SECONDS)

    def _work(self) -> None:
        if self._is_first and settings.VECTOR_STORE_URL.startswith("edge:"):
            release_leases()  # the embedded store belongs to this process: no other can apply
        self._is_first = False
        self._apply()
        while not self._stopping.is_set() and keep_uploads():
            self._apply()
        self._tidy_nightly()
        for repository_id in purgeable_repositories(now=timezone.now()):
            if self._stopping.is_set():
                return
            purge_repository(repository_id=repository_id)
            self._apply()  # a purge may take minutes: no run waits for more than one
        purge_organizations()

    def _apply(self) -> None:
        for _ in sweep():  # so many, then what else is due: not which, as more may come meanwhile
            attempt = None if self._stopping.is_set() else apply_next()
            if attempt is None:
                return
            if attempt.state == RunState.APPLIED:
                self._upkeep.wake()
            apply_deferred()  # the apply held them up

    def _tidy_nightly(self) -> None:
        if self._stopping.is_set() or timezone.now() < self._reconcile_due:
            return
        self._reconcile_due = next_reconcile(timezone.now())
        try:
            forget(now=timezone.now())
        finally:
            reconcile(repair=True)
            self._upkeep.wake()


def next_reconcile(now: datetime) -> datetime:
    """When the nightly reconcile is due after `now`."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = midnight + _RECONCILE_AT
    return today if today > now else today + timedelta(days=1)
