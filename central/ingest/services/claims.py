"""The queue of runs: whose turn it is, how an apply keeps its claim, and the sweep.

A lease is short, and a thread beside the apply renews it: it ends soon after its process. The
database session of a process that was stopped, or whose machine is gone, is ended with all its
locks: PostgreSQL would wait for it until TCP gives the client up.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import Error, connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from central.db import end_if_idle, execute, fetch_rows, sql
from central.github.services.deferred_events import apply_deferred
from central.ingest.models import IndexRun
from central.ingest.services.run_lifecycle import (
    abandon_runs_of_retired,
    end_claimed_run,
    expire_runs,
)
from central.jobs import BEATS, Claim
from central.repositories.services import mark_behind
from central.repositories.states import RunState

_NAME: Final = "aeterna writes "  # with a run's id: 51 of the 63 bytes that PostgreSQL keeps
_COPY_SECONDS: Final = 120  # one COPY has the rows of some batches: it takes seconds

# A COPY that waits for rows is no idle transaction, and no time-out of PostgreSQL ends it. The name
# is that of the transaction, so that this works behind PgBouncer, too.
_END_STOPPED: Final = sql(
    "SELECT application_name, pg_terminate_backend(pid) FROM pg_stat_activity"
    " JOIN pg_roles AS theirs ON theirs.oid = usesysid"
    " JOIN pg_roles AS ours ON ours.rolname = current_user"
    " WHERE pg_has_role(usesysid, 'USAGE') AND (ours.rolsuper OR NOT theirs.rolsuper)"
    " AND datname = current_database()"
    " AND starts_with(application_name, %s) AND state = 'active' AND wait_event = 'ClientRead'"
    " AND query_start <= statement_timestamp() - make_interval(secs => %s::float8)"
)
_HANGING_SECONDS = 120  # without progress: the heartbeat stops, and the lease ends

_log = structlog.get_logger(__name__)


class RunClaim(Claim[IndexRun]):
    """The claim on a run that is applied.

    Of a retired repository only a run is claimed whose apply was ended: it ends as stale and
    deletes its points.
    """

    model = IndexRun
    organization = "repository__organization"
    waiting = Q(state=RunState.QUEUED, repository__retired_at=None)
    running = Q(state=RunState.APPLYING)
    begins = {"state": RunState.APPLYING}
    waits = {"state": RunState.QUEUED}
    related = ("repository__organization", "branch", "api_token")
    has_claimed_at = True
    lease = "RUN_LEASE_SECONDS"
    attempts = "RUN_MAX_ATTEMPTS"
    beat_seconds = 1.0
    first_pause_seconds = 2
    longest_pause_seconds = 60
    no_answer = (
        "Applying the run ended without an answer {attempts} times; the service's log has the "
        "reason. Run the indexer again."
    )

    def retry(self, error: str) -> None:
        """Apply the run again; after the last attempt, its error says how many there were."""
        super().retry(self.gave_no_answer() if self.is_last else error)

    @transaction.atomic
    def fail(self, error: str) -> None:
        """End the run as failed; its uploads are deleted."""
        end_claimed_run(run=self.row, state=RunState.FAILED, error=error, is_unprocessable=True)

    def reason(self, error: str) -> dict[str, Any]:
        """Return what the run's progress says while it waits."""
        return {"progress": {"stage": "waiting", "reason": error}}

    @contextmanager
    def kept_alive(self) -> Iterator[None]:
        """Renew the lease from a thread of its own, as long as this one makes progress."""
        ended = threading.Event()
        thread = threading.Thread(
            target=self._keep_alive, args=[ended], name="heartbeat", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _keep_alive(self, ended: threading.Event) -> None:
        try:
            while not ended.wait(self.lease_seconds() / BEATS):
                if time.monotonic() - self.beat_at > _HANGING_SECONDS:
                    _log.error("apply_hangs", run=str(self.row.pk))
                    return
                self._renew_unless_locked()
        finally:
            connection.close()

    def _renew_unless_locked(self) -> None:
        """Renew the lease unless the final transaction has the row: that needs none."""
        try:
            with transaction.atomic():
                if self.mine().select_for_update(skip_locked=True, no_key=True).exists():
                    self.refresh()
        except Error as exc:  # the apply meets it, too, and says what comes of it
            _log.warning("heartbeat_failed", run=str(self.row.pk), error=str(exc))
            connection.close()

    def report(self, stage: str, done: int, total: int) -> None:
        """Save progress and renew the lease, once a second at most. Raises ClaimLostError."""
        progress = {
            "stage": stage,
            "done": done,
            "total": total,
            "percent": 100 * done // total if total else 100,
        }
        if self.beat(progress=progress, retries=0):
            self.row.retries = 0

    def requeue(self, error: str, seconds: float = 0.0) -> None:
        """Queue the run again: a service that it needs is unavailable. No attempt is counted."""
        pause = max(seconds, self.pause_seconds(self.row.retries))
        _log.warning("apply_postponed", run=str(self.row.pk), error=error, seconds=pause)
        self.put_back(pause, error, attempts=F("attempts") - 1, retries=F("retries") + 1)


def guard_writer(*, run_id: object, idle_seconds: float) -> None:
    """Have the database end this transaction if its process is stopped.

    It does so by itself after `idle_seconds` without a statement; in a COPY, `end_stopped_writers`.
    """
    end_if_idle(idle_seconds)
    execute("SELECT set_config('application_name', %s, true)", [f"{_NAME}{run_id}"])


def end_stopped_writers() -> None:
    """End sessions that have sent no row for two minutes in the midst of a COPY.

    One that was only slow has lost nothing: its run is queued again.
    """
    asked = [_NAME, _COPY_SECONDS]
    with transaction.atomic():
        ended = fetch_rows(_END_STOPPED, asked)
        # A login that acts as another role sees and ends sessions of its own only as itself.
        execute("SET LOCAL ROLE NONE", [])
        ended += fetch_rows(_END_STOPPED, asked)
    for name, is_ended in ended:
        _log.warning("stopped_writer_ended", run=name.removeprefix(_NAME), ended=is_ended)


def sweep() -> list[UUID]:
    """Apply deferred events, end stopped writers, silent runs and those of retired repositories.

    Marks repositories that are `behind`.

    Returns the runs that wait to be applied, oldest first.
    """
    apply_deferred()
    end_stopped_writers()
    expire_runs()
    abandon_runs_of_retired()
    mark_behind(now=timezone.now())
    return list(RunClaim.claimable().order_by("queued_at").values_list("pk", flat=True))
