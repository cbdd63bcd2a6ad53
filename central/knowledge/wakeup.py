"""Waking whoever brings the graph up to date: a Celery worker, or the embedded server's thread.

A wake-up may be lost: what is due is found by its watermark at the next sweep.
"""

import threading

import structlog
from django.conf import settings
from kombu.exceptions import OperationalError

_EXPIRES_SECONDS = 60  # by then a later message, or the sweep, has asked again

_log = structlog.get_logger(__name__)

# Set when something was written in this process that edges follow from.
changed = threading.Event()


def wake() -> None:
    """Call it when what was written is committed; never raises for a lost broker."""
    if not settings.CELERY_BROKER_URL:
        changed.set()
        return
    from central.knowledge.tasks import catch_up

    try:
        catch_up.apply_async(expires=_EXPIRES_SECONDS)
    except (OperationalError, OSError) as exc:
        _log.warning("worker_notification_failed", task="catch_up", error=str(exc))
