"""The one place where a run's row gets its final state."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from central.ingest.models import IndexRun
from central.ingest.run_waits import announce_end
from central.repositories.states import RunState


def end_run(run: IndexRun, *, of: QuerySet[IndexRun], state: RunState, **fields: Any) -> bool:
    """End the run, and wake who waits for that after the commit; false if it is none of `of`."""
    with transaction.atomic(savepoint=False):
        done = of.filter(pk=run.pk).update(state=state, ended_at=timezone.now(), **fields)
        if done:
            announce_end(run.pk)
    return bool(done)
