"""Celery's side: thin wrappers. A message only wakes a worker; losing it costs SWEEP time."""

from uuid import UUID

from django.conf import settings
from django.utils import timezone

from central.celery import app
from central.ingest.services import applying, forgetting, purging, reconciling, sweeping


@app.task(name="central.ingest.tasks.apply_run")
def apply_run(run_id: str) -> None:
    """Apply one run, if it is still to be had."""
    applying.apply_run(run_id=UUID(run_id))


@app.task(name="central.ingest.tasks.sweep")
def sweep() -> None:
    """Expire silent runs and wake workers for those that wait."""
    for run_id in sweeping.sweep():
        # The next sweep sends again what still waits: messages must not pile up meanwhile.
        apply_run.apply_async(args=(str(run_id),), expires=settings.SWEEP_SECONDS)


@app.task(name="central.ingest.tasks.purge")
def purge() -> None:
    """Delete what retired repositories held."""
    for repository_id in purging.purgeable_repositories(now=timezone.now()):
        purging.purge_repository(repository_id=repository_id)


@app.task(name="central.ingest.tasks.forget")
def forget() -> None:
    """Delete what nobody asks for any more."""
    forgetting.forget(now=timezone.now())


@app.task(name="central.ingest.tasks.reconcile")
def reconcile() -> None:
    """Compare every repository with the vector store and put right what differs."""
    reconciling.reconcile(repair=True)
