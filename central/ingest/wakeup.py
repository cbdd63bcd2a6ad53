"""Waking the process that applies runs: a Celery worker, or the embedded server's thread.

A wake-up may be lost: the run is queued in the database, and the sweep finds it.
"""

import threading
from uuid import UUID

from django.conf import settings

# Set when a run was queued in this process; the embedded worker's thread waits on it.
queued = threading.Event()


def wake(run_id: UUID) -> None:
    """Report a queued run. Call it after the commit; never raises for a lost broker."""
    if not settings.CELERY_BROKER_URL:
        queued.set()
        return
    from central.celery import notify_worker  # the embedded server needs no Celery

    notify_worker("central.ingest.tasks.apply_run", str(run_id))
