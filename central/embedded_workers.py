"""The threads of the embedded server, which has no Celery workers: one for each kind of work."""

from collections.abc import Callable

from django.conf import settings
from django.utils import timezone

from central.alerts.services.queue import send_alerts
from central.background import ALERTS, BACKFILLS, EDGES, GRAPH, STORE, WorkerThread
from central.knowledge.services.catch_up import KnowledgeGraph
from central.knowledge.services.snapshot import keep_snapshots
from central.maintenance.worker import EmbeddedWorker, maintain_store, next_reconcile
from central.onboarding.services.branches import prune_unwanted
from central.onboarding.services.nightly import follow_branches
from central.onboarding.services.queue import CloneClaim, queue_pushed
from central.onboarding.services.work import remove_leftovers, work_all
from central.trace.stored.follower import CallEdges


def embedded_workers() -> list[WorkerThread]:
    """Return all threads; start each once in the process that serves."""
    backfills = [BackfillWorker(number) for number in range(settings.BACKFILL.at_once)]
    return [
        EmbeddedWorker(),
        WorkerThread("optimizer", maintain_store, STORE, stop_seconds=1, sweeps=False),
        WorkerThread("edges", lambda *, is_stopping: CallEdges(is_stopping).follow(), EDGES),
        WorkerThread("knowledge graph", _keep_graph, GRAPH),
        *backfills,
        WorkerThread("alerts", send_alerts, ALERTS),
    ]


def _keep_graph(*, is_stopping: Callable[[], bool]) -> None:
    """Link what was written and indexed, and keep the files that are asked for."""
    KnowledgeGraph(is_stopping).follow()
    keep_snapshots(is_stopping=is_stopping)


class BackfillWorker(WorkerThread):
    """Works on backfills; a clone that is not finished at the end is done again at the start."""

    def __init__(self, number: int) -> None:
        super().__init__(f"backfill {number}", self._backfill, BACKFILLS, stop_seconds=5)
        self._is_first = number == 0
        self._has_leftovers = self._is_first
        self._branches_due = next_reconcile(timezone.now())

    def _backfill(self, *, is_stopping: Callable[[], bool]) -> None:
        if self._has_leftovers:
            CloneClaim.expire_leases()
            remove_leftovers()
            self._has_leftovers = False
        if self._is_first:
            queue_pushed()
            self._follow_branches()
        work_all(is_stopping=is_stopping)

    def _follow_branches(self) -> None:
        if timezone.now() >= self._branches_due:
            self._branches_due = next_reconcile(timezone.now())
            prune_unwanted()
            follow_branches()
