"""Celery's side: thin wrappers. A message only wakes a worker; losing it costs SWEEP time."""

from contextlib import suppress

from django.conf import settings
from django.utils import timezone
from kombu.exceptions import OperationalError

from central.celery import app
from central.ingest.models import RunState
from central.ingest.services import (
    applying,
    dissolving,
    forgetting,
    keeping,
    purging,
    reconciling,
    sweeping,
    upkeep,
)

_UPKEEP_EXPIRES_SECONDS = 3600  # by then another apply, or the night, has asked again


@app.task(name="central.ingest.tasks.apply_run")
def apply_run(run_id: str) -> None:
    """Apply one run: not the one that the message is of, but the one whose turn it is.

    There is a message for each run; in the order of messages, whoever sends many is served first.
    """
    del run_id
    attempt = applying.apply_next()
    if attempt and attempt.state == RunState.APPLIED:
        with suppress(OperationalError, OSError):  # without a broker, the night asks
            maintain.apply_async(expires=_UPKEEP_EXPIRES_SECONDS)


@app.task(name="central.ingest.tasks.sweep")
def sweep() -> None:
    """Expire silent runs and wake workers for those that wait."""
    for run_id in sweeping.sweep():
        # The next sweep sends again what still waits: messages must not pile up meanwhile.
        apply_run.apply_async(args=(str(run_id),), expires=settings.SWEEP_SECONDS)


@app.task(name="central.ingest.tasks.keep")
def keep() -> None:
    """Keep vectors of runs that were not applied."""
    while keeping.keep_uploads():
        pass


@app.task(name="central.ingest.tasks.maintain")
def maintain() -> None:
    """Do what the vector store puts off."""
    upkeep.maintain_store()


@app.task(name="central.ingest.tasks.purge")
def purge() -> None:
    """Delete what retired repositories and organisations held."""
    for repository_id in purging.purgeable_repositories(now=timezone.now()):
        purging.purge_repository(repository_id=repository_id)
    dissolving.purge_organizations()


@app.task(name="central.ingest.tasks.forget")
def forget() -> None:
    """Delete what nobody asks for any more."""
    forgetting.forget(now=timezone.now())


@app.task(name="central.ingest.tasks.reconcile")
def reconcile() -> None:
    """Compare every repository with the vector store and put right what differs."""
    reconciling.reconcile(repair=True)
