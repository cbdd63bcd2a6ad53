"""Celery tasks of backfills, in a queue of their own.

A clone takes minutes, and its indexer waits for the apply: in the queue of applies, clones would
take every worker and wait for ever. A message only wakes a worker; the table is the queue.
"""

from django.conf import settings
from kombu.exceptions import ChannelError

from central.celery import BACKFILL_QUEUE as QUEUE
from central.celery import app
from central.onboarding.services import listing, queue, work


@app.task(name="central.onboarding.tasks.sweep")
def sweep() -> None:
    """Queue what was pushed to, and wake as many workers as may work at once."""
    queue.queue_pushed()
    for _ in range(settings.BACKFILL.at_once - _waiting_messages()):
        work_on_queue.apply_async(expires=float(settings.SWEEP_SECONDS))


def _waiting_messages() -> int:
    """Return how many messages no worker has taken: without one, they must not accumulate."""
    with app.connection_for_write() as broker, broker.SimpleQueue(QUEUE) as waiting:
        try:
            return int(waiting.qsize())
        except ChannelError:  # Redis has no empty queues
            return 0


@app.task(name="central.onboarding.tasks.work")
def work_on_queue() -> None:
    """Read due lists and work until nothing is due."""
    work.remove_leftovers()
    while listing.list_next() or work.work_next():
        pass
