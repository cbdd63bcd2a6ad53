"""Celery's side: thin wrappers. A message only wakes a worker; losing it costs SWEEP time."""

from django.conf import settings

from central.celery import app, notify_worker
from central.ingest.services import apply_run as applying
from central.ingest.services import claims, salvage
from central.repositories.states import RunState

_MAINTAIN = "central.ingest.tasks.maintain"  # by name: maintenance stands above
_UPKEEP_EXPIRES_SECONDS = 3600  # by then another apply, or the night, has asked again


@app.task(name="central.ingest.tasks.apply_run")
def apply_run(run_id: str) -> None:
    """Apply one run: not the one that the message is of, but the one whose turn it is.

    There is a message for each run; in the order of messages, whoever sends many is served first.
    """
    del run_id
    attempt = applying.apply_next()
    if attempt and attempt.state == RunState.APPLIED:
        notify_worker(_MAINTAIN, expires=_UPKEEP_EXPIRES_SECONDS)


@app.task(name="central.ingest.tasks.sweep")
def sweep() -> None:
    """Expire silent runs and wake workers for those that wait."""
    for run_id in claims.sweep():
        # The next sweep sends again what still waits: messages must not pile up meanwhile.
        apply_run.apply_async(args=(str(run_id),), expires=settings.SWEEP_SECONDS)


@app.task(name="central.ingest.tasks.keep")
def keep() -> None:
    """Keep vectors of runs that were not applied."""
    while salvage.salvage_uploads():
        pass
