"""Celery tasks of maintenance. The older ones have names of `central.ingest.tasks`."""

from django.utils import timezone

from central.celery import app
from central.corpus.trigrams.upkeep import TextIndex
from central.maintenance import organization_deletion, retention, worker
from central.maintenance.reconcile import reconcile as reconcile_index
from central.projections import until_next_sweep


@app.task(name="central.ingest.tasks.maintain")
def maintain() -> None:
    """Run the deferred work of the vector store."""
    worker.maintain_store()


@app.task(name="central.maintenance.tasks.maintain_text")
def maintain_text() -> None:
    """Build and merge segments of the text index, until the next message is due."""
    TextIndex(until_next_sweep()).follow()


@app.task(name="central.ingest.tasks.purge")
def purge() -> None:
    """Delete retired repositories and organisations."""
    organization_deletion.purge_retired()


@app.task(name="central.ingest.tasks.forget")
def apply_retention() -> None:
    """Apply the retention."""
    retention.apply_retention(now=timezone.now())


@app.task(name="central.ingest.tasks.reconcile")
def reconcile() -> None:
    """Compare every repository with the vector store and correct differences."""
    reconcile_index(repair=True)
