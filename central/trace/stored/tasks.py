"""Celery's side: a thin wrapper."""

from central.celery import app
from central.projections import until_next_sweep
from central.trace.stored.follower import CallEdges


@app.task(name="central.trace.stored.tasks.follow")
def follow() -> None:
    """Bring stored edges up to what is indexed, until the next message is due."""
    CallEdges(until_next_sweep()).follow()
