"""Celery's side: a thin wrapper."""

from central.celery import app
from central.knowledge.services import catch_up as service


@app.task(name="central.knowledge.tasks.catch_up")
def catch_up() -> None:
    """Bring the graph up to what was written and indexed."""
    service.catch_up()
