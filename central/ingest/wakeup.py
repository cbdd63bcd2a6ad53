"""Waking whoever applies runs: a Celery worker, or the thread of the embedded server.

A wake-up may be lost: the run is queued in the database, and the sweep finds it.
"""

import threading
from uuid import UUID

import structlog
from django.conf import settings
from kombu.exceptions import OperationalError

_log = structlog.get_logger(__name__)

# Set when a run was queued in this process; the sweeper's thread waits on it.
queued = threading.Event()


def wake(run_id: UUID) -> None:
    """Say that a run is queued. Call it when that is committed; never raises for a lost broker."""
    if not settings.CELERY_BROKER_URL:
        queued.set()
        return
    from central.ingest.tasks import apply_run

    try:
        apply_run.delay(str(run_id))
    except (OperationalError, OSError) as exc:
        _log.warning("wakeup_lost", run=str(run_id), error=str(exc))
