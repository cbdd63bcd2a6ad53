"""The threads of the embedded server, which has no Celery workers: one for each kind of work."""

from django.conf import settings

from central.alerts.services.queue import send_alerts
from central.background import ALERTS, BACKFILLS, EDGES, GRAPH, WorkerThread
from central.knowledge.services.catch_up import catch_up
from central.knowledge.services.snapshot import keep_snapshots
from central.maintenance.worker import EmbeddedWorker
from central.onboarding.services.listing import list_next
from central.onboarding.services.queue import CloneClaim, queue_pushed
from central.onboarding.services.work import remove_leftovers, work_next
from central.trace.stored.follower import follow_all


def embedded_workers() -> list[WorkerThread]:
    """Return all threads; start each once in the process that serves."""
    backfills = [BackfillWorker(number) for number in range(settings.BACKFILL.at_once)]
    return [EmbeddedWorker(), EdgeWorker(), GraphWorker(), *backfills, AlertWorker()]


class EdgeWorker(WorkerThread):
    """Brings stored edges up to date."""

    wake_ups = (EDGES,)
    stop_seconds = 10

    def __init__(self) -> None:
        super().__init__("edges")

    def work(self) -> None:
        """Resolve what changed, and what depends on that."""
        follow_all(is_stopping=self.is_stopping)


class GraphWorker(WorkerThread):
    """Brings the knowledge graph up to date."""

    wake_ups = (GRAPH,)
    stop_seconds = 10

    def __init__(self) -> None:
        super().__init__("knowledge graph")

    def work(self) -> None:
        """Link what was written and indexed, and keep the files that are asked for."""
        catch_up(is_stopping=self.is_stopping)
        keep_snapshots(is_stopping=self.is_stopping)


class BackfillWorker(WorkerThread):
    """Works on backfills; a clone that is not finished at the end is done again at the start."""

    wake_ups = (BACKFILLS,)
    stop_seconds = 5

    def __init__(self, number: int) -> None:
        super().__init__(f"backfill {number}")
        self._is_first = number == 0
        self._has_leftovers = self._is_first

    def work(self) -> None:
        """Read due lists and work until nothing is due."""
        if self._has_leftovers:
            CloneClaim.expire_leases()
            remove_leftovers()
            self._has_leftovers = False
        if self._is_first:
            queue_pushed()
        while not self.is_stopping() and (list_next() or work_next(is_stopping=self.is_stopping)):
            pass


class AlertWorker(WorkerThread):
    """Sends alerts."""

    wake_ups = (ALERTS,)
    stop_seconds = 10

    def __init__(self) -> None:
        super().__init__("alerts")

    def work(self) -> None:
        """Detect problems and send what is due."""
        send_alerts(is_stopping=self.is_stopping)
