"""Waking the process that applies runs: a Celery worker, or the server's thread.

A wake-up may be lost: what is due is found at the next sweep.
"""

import threading
from uuid import UUID

from django.conf import settings

_EXPIRES_SECONDS = 60  # by then the apply stages what is left

# Set when a batch came or a run was queued in this process; the embedded worker waits on it.
due = threading.Event()


def wake_for_run(run_id: UUID) -> None:
    """Report a queued run; call it after the commit. Never raises for a lost broker."""
    _wake("central.ingest.tasks.apply_run", str(run_id))


def wake_for_batch() -> None:
    """Report a batch that can be staged; call it after the commit."""
    _wake("central.ingest.tasks.stage", expires=_EXPIRES_SECONDS)


def _wake(task: str, *arguments: str, expires: float | None = None) -> None:
    if not settings.CELERY_BROKER_URL:
        due.set()
        return
    from central.celery import notify_worker  # the embedded server needs no Celery

    notify_worker(task, *arguments, expires=expires)
