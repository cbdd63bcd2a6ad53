"""The embedded server's threads that work on backfills."""

from django.conf import settings

from central.background import BACKFILLS, WorkerThread
from central.onboarding.services.listing import list_next
from central.onboarding.services.queue import expire_leases, queue_pushed
from central.onboarding.services.work import remove_leftovers, work_next


class BackfillWorker(WorkerThread):
    """One of the threads. A clone that is not finished at the end is done again at the start."""

    wake_up = BACKFILLS
    stop_seconds = 5

    def __init__(self, number: int) -> None:
        super().__init__(f"backfill {number}")
        self._is_first = number == 0
        self._has_leftovers = self._is_first

    def work(self) -> None:
        """Read due lists and work until nothing is due."""
        if self._has_leftovers:
            expire_leases()
            remove_leftovers()
            self._has_leftovers = False
        if self._is_first:
            queue_pushed()
        while not self.is_stopping() and (list_next() or work_next(is_stopping=self.is_stopping)):
            pass


def backfill_workers() -> list[BackfillWorker]:
    """Return as many threads as repositories may be worked on at once."""
    return [BackfillWorker(number) for number in range(settings.BACKFILL.at_once)]
