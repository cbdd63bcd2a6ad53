"""Celery's side: a thin wrapper."""

from central.celery import app
from central.knowledge.services import snapshot
from central.knowledge.services.catch_up import KnowledgeGraph


@app.task(name="central.knowledge.tasks.catch_up")
def catch_up() -> None:
    """Bring the graph up to what was written and indexed, and the files that are asked for."""
    KnowledgeGraph().follow()
    snapshot.keep_snapshots()
