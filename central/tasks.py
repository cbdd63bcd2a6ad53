"""Celery's tasks, and when beat sends them: a message only wakes a worker, a table is the queue.

Messages have the names of the version before: a worker of either version takes them.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from celery.schedules import crontab
from django.conf import settings
from django.utils import timezone
from kombu.exceptions import ChannelError

from central.alerts.services.queue import send_alerts
from central.celery import BACKFILL_QUEUE, app
from central.corpus.trigrams.upkeep import TextIndex
from central.ingest.services import claims
from central.ingest.services.apply_run import apply_next
from central.ingest.services.salvage import salvage_uploads
from central.ingest.services.vectors import stage_uploads
from central.knowledge.services import snapshot
from central.knowledge.services.catch_up import KnowledgeGraph
from central.maintenance import retention, worker
from central.maintenance.organization_deletion import purge_retired
from central.maintenance.reconcile import reconcile as reconcile_index
from central.onboarding.services import nightly, queue, work
from central.onboarding.services.branches import prune_unwanted
from central.trace.stored.follower import CallEdges

_SWEEP: Final = float(settings.SWEEP_SECONDS)


def _task(
    name: str,
    beat: str = "",
    schedule: float | crontab = _SWEEP,
    *,
    expires: float | None = _SWEEP,
    **options: Any,
) -> Callable[[Callable[..., None]], Any]:
    """Make a task, which beat sends under this name; a message that waits so long is dropped."""
    if beat:
        told = {"options": {"expires": expires}} if expires else {}
        app.conf.beat_schedule[beat] = {"task": name, "schedule": schedule} | told
    make: Callable[[Callable[..., None]], Any] = app.task(name=name, **options)
    return make


# --- Runs ---------------------------------------------------------------------------------------


@_task("central.ingest.tasks.apply_run")
def apply_run(run_id: str) -> None:
    """Apply the run whose turn it is, not the one in the message.

    Each run has a message; in their order, an organisation with many runs would come first.
    """
    del run_id
    apply_next()


@_task("central.ingest.tasks.stage", acks_late=False)
def stage() -> None:
    """Stage a batch of an open run, unless a run waits to be applied: that comes first.

    A message does not come again if its batch kills the worker: only the apply counts attempts.
    """
    if not apply_next():
        stage_uploads()


@_task("central.ingest.tasks.sweep", "sweep", expires=None)
def sweep() -> None:
    """Expire silent runs and wake workers for those that wait."""
    for run_id in claims.sweep():
        # The next sweep sends messages for waiting runs again: they must not accumulate.
        apply_run.apply_async(args=(str(run_id),), expires=settings.SWEEP_SECONDS)


@_task("central.ingest.tasks.keep", "keep")
def keep() -> None:
    """Salvage vectors of runs that were not applied."""
    while salvage_uploads():
        pass


# --- What is derived from the index -------------------------------------------------------------


def _until_next_sweep() -> Callable[[], bool]:
    """Return what says whether the next sweep has sent another message by now."""
    end = time.monotonic() + _SWEEP
    return lambda: time.monotonic() >= end


@_task("central.trace.stored.tasks.follow", "edges")
def follow() -> None:
    """Bring stored edges up to what is indexed, until the next message is due."""
    CallEdges(_until_next_sweep()).follow()


@_task("central.knowledge.tasks.catch_up", "graph")
def catch_up() -> None:
    """Bring the graph up to what was written and indexed, and the files that are asked for."""
    KnowledgeGraph().follow()
    snapshot.keep_snapshots()


@_task("central.maintenance.tasks.maintain_text", "text")
def maintain_text() -> None:
    """Build and merge segments of the text index, until the next message is due."""
    TextIndex(_until_next_sweep()).follow()


# --- Backfills ----------------------------------------------------------------------------------
# In a queue of their own: a clone takes minutes, and its indexer waits for the apply. In the queue
# of applies, clones would take every worker and wait for ever.


@_task("central.onboarding.tasks.sweep", "backfill")
def sweep_backfills() -> None:
    """Queue what was pushed to, and wake as many workers as may work at once."""
    queue.queue_pushed()
    for _ in range(settings.BACKFILL.at_once - _waiting_messages()):
        backfill.apply_async(expires=float(settings.SWEEP_SECONDS))


def _waiting_messages() -> int:
    """Return how many messages no worker has taken: without one, they must not accumulate."""
    with app.connection_for_write() as broker, broker.SimpleQueue(BACKFILL_QUEUE) as waiting:
        try:
            return int(waiting.qsize())
        except ChannelError:  # Redis has no empty queues
            return 0


@_task(
    "central.onboarding.tasks.follow_branches",
    "branches",
    crontab(hour="3", minute="27"),
    expires=3_600.0,
)
def follow_branches() -> None:
    """Compare branches with forges, and queue what may have others."""
    nightly.follow_branches()


@_task(
    "central.onboarding.tasks.prune_branches",
    "branch policies",
    crontab(hour="3", minute="37"),
    expires=None,
)
def prune_branches() -> None:
    """Delete branches that no policy wants."""
    prune_unwanted()


@_task("central.onboarding.tasks.work")
def backfill() -> None:
    """Read due lists and work until nothing is due."""
    work.remove_leftovers()
    work.work_all()


# --- The rest -----------------------------------------------------------------------------------


@_task("central.alerts.tasks.send", "alerts")
def send() -> None:
    """Detect problems and send what is due."""
    send_alerts()


@_task("central.ingest.tasks.maintain", "maintain", crontab(hour="4", minute="17"), expires=None)
def maintain() -> None:
    """Run the deferred work of the vector store."""
    worker.maintain_store()


@_task("central.ingest.tasks.purge", "purge", crontab(minute="*/5"), expires=300)
def purge() -> None:
    """Delete retired repositories and organisations."""
    purge_retired()


@_task("central.ingest.tasks.forget", "forget", crontab(hour="3", minute="7"), expires=None)
def apply_retention() -> None:
    """Apply the retention."""
    retention.apply_retention(now=timezone.now())


@_task("central.ingest.tasks.reconcile", "reconcile", crontab(hour="3", minute="17"), expires=None)
def reconcile() -> None:
    """Compare every repository with the vector store and correct differences."""
    reconcile_index(repair=True)
