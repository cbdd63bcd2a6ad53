"""Waking the process that brings the graph up to date: a Celery worker, or the server's thread.

A wake-up may be lost: what is due is found by its watermark at the next sweep.
"""

import threading

from django.conf import settings

_EXPIRES_SECONDS = 60  # by then a later message, or the sweep, has asked again

# Set when something was written in this process that edges follow from.
changed = threading.Event()


def wake() -> None:
    """Call it after the commit of what was written; never raises for a lost broker."""
    if not settings.CELERY_BROKER_URL:
        changed.set()
        return
    from central.celery import notify_worker  # the embedded server needs no Celery

    notify_worker("central.knowledge.tasks.catch_up", expires=_EXPIRES_SECONDS)
