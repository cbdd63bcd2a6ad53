"""Waking the processes that work on backfills. A wake-up may be lost: a sweep finds what is due."""

import threading

from django.conf import settings

_WORK = "central.onboarding.tasks.work"

# Set when something was queued in this process.
changed = threading.Event()


def wake() -> None:
    """Call it after the commit of what was queued; never raises for a lost broker."""
    if not settings.CELERY_BROKER_URL:
        changed.set()
        return
    from central.celery import notify_worker  # the embedded server needs no Celery

    notify_worker(_WORK, expires=float(settings.SWEEP_SECONDS))
