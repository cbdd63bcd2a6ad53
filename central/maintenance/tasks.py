"""Celery tasks of maintenance, whose names are those of `central.ingest.tasks`."""

from django.utils import timezone

from central.celery import app
from central.maintenance import organization_deletion, retention, worker
from central.maintenance.reconcile import reconcile as reconcile_index


@app.task(name="central.ingest.tasks.maintain")
def maintain() -> None:
    """Run the deferred work of the vector store."""
    worker.maintain_store()


@app.task(name="central.ingest.tasks.purge")
def purge() -> None:
    """Delete retired repositories and organisations."""
    organization_deletion.purge_retired()


@app.task(name="central.ingest.tasks.forget")
def forget() -> None:
    """Apply the retention."""
    retention.apply_retention(now=timezone.now())


@app.task(name="central.ingest.tasks.reconcile")
def reconcile() -> None:
    """Compare every repository with the vector store and correct differences."""
    reconcile_index(repair=True)
