"""Celery's side of maintenance: thin wrappers, whose names are those of `central.ingest.tasks`."""

from django.utils import timezone

from central.celery import app
from central.maintenance import organization_deletion, retention, worker
from central.maintenance.reconcile import reconcile as reconcile_index


@app.task(name="central.ingest.tasks.maintain")
def maintain() -> None:
    """Do what the vector store puts off."""
    worker.maintain_store()


@app.task(name="central.ingest.tasks.purge")
def purge() -> None:
    """Delete what retired repositories and organisations held."""
    organization_deletion.purge_retired()


@app.task(name="central.ingest.tasks.forget")
def forget() -> None:
    """Delete what nobody asks for any more."""
    retention.apply_retention(now=timezone.now())


@app.task(name="central.ingest.tasks.reconcile")
def reconcile() -> None:
    """Compare every repository with the vector store and put right what differs."""
    reconcile_index(repair=True)
