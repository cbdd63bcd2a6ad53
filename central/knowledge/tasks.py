"""Celery's side: a thin wrapper."""

from central.celery import app
from central.knowledge.services import catch_up as service
from central.knowledge.services import snapshot


@app.task(name="central.knowledge.tasks.catch_up")
def catch_up() -> None:
    """Bring the graph up to what was written and indexed, and the files that are asked for."""
    service.catch_up()
    snapshot.keep_snapshots()
