"""Celery tasks of runs. A message only wakes a worker; a lost one costs a sweep interval."""

from django.conf import settings

from central.celery import app, notify_worker
from central.ingest.services import apply_run as applying
from central.ingest.services import claims, salvage, vectors
from central.repositories.states import RunState

_MAINTAIN = "central.ingest.tasks.maintain"  # by name: maintenance stands above
_UPKEEP_EXPIRES_SECONDS = 3600  # by then another apply, or the nightly schedule, has sent it again


@app.task(name="central.ingest.tasks.apply_run")
def apply_run(run_id: str) -> None:
    """Apply the run whose turn it is, not the one in the message.

    Each run has a message; in their order, an organisation with many runs would come first.
    """
    del run_id
    _apply_next()


@app.task(name="central.ingest.tasks.stage", acks_late=False)
def stage() -> None:
    """Stage a batch of an open run, unless a run waits to be applied: that comes first.

    A message does not come again if its batch kills the worker: only the apply counts attempts.
    """
    if not _apply_next():
        vectors.stage_uploads()


def _apply_next() -> bool:
    attempt = applying.apply_next()
    if attempt and attempt.state == RunState.APPLIED:
        notify_worker(_MAINTAIN, expires=_UPKEEP_EXPIRES_SECONDS)
    return attempt is not None


@app.task(name="central.ingest.tasks.sweep")
def sweep() -> None:
    """Expire silent runs and wake workers for those that wait."""
    for run_id in claims.sweep():
        # The next sweep sends messages for waiting runs again: they must not accumulate.
        apply_run.apply_async(args=(str(run_id),), expires=settings.SWEEP_SECONDS)


@app.task(name="central.ingest.tasks.keep")
def keep() -> None:
    """Salvage vectors of runs that were not applied."""
    while salvage.salvage_uploads():
        pass
