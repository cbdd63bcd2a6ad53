"""Celery's side: a thin wrapper."""

import time

from django.conf import settings

from central.celery import app
from central.trace.stored import follower


@app.task(name="central.trace.stored.tasks.follow")
def follow() -> None:
    """Bring stored edges up to what is indexed, until the next message is due."""
    end = time.monotonic() + settings.SWEEP_SECONDS
    follower.follow_all(is_stopping=lambda: time.monotonic() >= end)
