"""The embedded service's thread for runs and maintenance, and the optimisation of the store."""

from datetime import datetime, timedelta

import structlog
from django.utils import timezone

from central.background import BATCHES, RUNS, STORE, WorkerThread
from central.corpus.backends import is_store_embedded, vector_store
from central.corpus.trigrams.upkeep import TextIndex
from central.github.services.deferred_events import apply_deferred
from central.ingest.services.apply_run import apply_next
from central.ingest.services.claims import RunClaim, sweep
from central.ingest.services.salvage import salvage_uploads
from central.ingest.services.vectors import stage_uploads
from central.maintenance.organization_deletion import purge_retired
from central.maintenance.reconcile import reconcile
from central.maintenance.retention import apply_retention
from indexer.errors import StoreError

_RECONCILE_AT = timedelta(hours=3, minutes=17)  # past midnight, UTC

_log = structlog.get_logger(__name__)


def maintain_store(**_: object) -> None:
    """Run the deferred work of the store, beside searches and applies; errors are logged."""
    try:
        vector_store().maintain()
    except StoreError as exc:
        _log.warning("maintenance_failed", error=str(exc))


class EmbeddedWorker(WorkerThread):
    """The thread that applies runs and maintains the index.

    `stop` waits for the present apply; an unfinished run is continued at the next start.
    """

    def __init__(self) -> None:
        super().__init__("worker", self._apply_and_maintain, RUNS, BATCHES, stop_seconds=30)
        self._reconcile_due = next_reconcile(timezone.now())
        self._is_first = True

    def _apply_and_maintain(self, **_: object) -> None:
        if self._is_first and is_store_embedded():
            RunClaim.expire_leases()  # the store is this process's: no other can apply
        self._is_first = False
        self._apply()
        while not self.is_stopping() and stage_uploads():
            self._apply()
        while not self.is_stopping() and salvage_uploads():
            self._apply()
        TextIndex(lambda: not self._apply()).follow()
        self._run_nightly()
        if not self.is_stopping():
            purge_retired(go_on=self._apply)  # no run waits for more than one purge

    def _apply(self) -> bool:
        """Apply queued runs; false if the thread must stop."""
        for _ in sweep():  # as many as were waiting; then other work is due
            if self.is_stopping() or not apply_next():
                break
            apply_deferred()  # the apply blocked them
        return not self.is_stopping()

    def _run_nightly(self) -> None:
        if self.is_stopping() or timezone.now() < self._reconcile_due:
            return
        self._reconcile_due = next_reconcile(timezone.now())
        try:
            apply_retention(now=timezone.now())
        finally:
            reconcile(repair=True)
            STORE.wake()


def next_reconcile(now: datetime) -> datetime:
    """Return the time of the next nightly reconcile after `now`."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = midnight + _RECONCILE_AT
    return today if today > now else today + timedelta(days=1)
