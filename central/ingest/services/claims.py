"""Claims of queued runs by conditional UPDATE with a lease, and the sweep over them.

A lease is short, and a thread beside the apply renews it: it ends soon after its process.
"""

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import Aggregate, Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import CombinedExpression, OrderBy
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from central.github.services.deferred_events import apply_deferred
from central.ingest.models import IndexRun
from central.ingest.services.run_lifecycle import (
    abandon_runs_of_retired,
    end_claimed_run,
    expire_runs,
)
from central.ingest.services.sessions import end_stopped_writers
from central.leases import has_lease, is_over, seconds_from_now
from central.repositories.services import mark_behind
from central.repositories.states import RunState

_PROGRESS_EVERY_SECONDS = 1.0
_BEATS = 4  # in the time of a lease
_HANGING_SECONDS = 120  # without progress: the heartbeat stops, and the lease ends
_LONGEST_BACKOFF_SECONDS = 60
_SERVED_BEFORE = timedelta(hours=1)  # an organisation served before that has waited long enough

_log = structlog.get_logger(__name__)


class ClaimLostError(Exception):
    """The lease ran out and another process has the run: stop without changes."""


def claimable_runs() -> QuerySet[IndexRun]:
    """Return runs that no process works on: queued without back-off, or with an expired lease.

    Of a retired repository, only the latter: they end as stale and delete their points.
    """
    is_free = is_over(settings.RUN_LEASE_SECONDS)
    return IndexRun.objects.filter(
        Q(state=RunState.QUEUED, repository__retired_at=None) & (Q(lease_until=None) | is_free)
        | Q(state=RunState.APPLYING) & is_free
    ).order_by("queued_at")


@transaction.atomic
def claim_run(*, run_id: uuid.UUID) -> "Claim | None":
    """Claim the run; None if it is not claimable.

    A run whose apply crashed RUN_MAX_ATTEMPTS times fails here instead.
    """
    run = _lockable_runs().filter(pk=run_id).first()
    return None if run is None else _taken(run)


def claim_next() -> "Claim | None":
    """Claim the run whose turn it is; None if no run is claimable."""
    while True:
        with transaction.atomic():
            run = _lockable_runs().order_by(*_in_turn()).first()
            if run is None:
                return None
            if claim := _taken(run):
                return claim


def _lockable_runs() -> QuerySet[IndexRun]:
    """Lock claimable runs; one in its final transaction is not waited for."""
    return claimable_runs().select_for_update(skip_locked=True, no_key=True, of=("self",))


def _in_turn() -> tuple[OrderBy | str, ...]:
    """Order runs fairly: fewest applying runs of the organisation, longest wait, oldest run."""
    of_organization = IndexRun.objects.filter(
        repository__organization=OuterRef("repository__organization")
    ).order_by()
    applying = of_organization.filter(
        has_lease(settings.RUN_LEASE_SECONDS), state=RunState.APPLYING
    )
    served = of_organization.filter(claimed_at__gt=timezone.now() - _SERVED_BEFORE)
    return (
        Coalesce(_one(applying, Count("pk")), 0).asc(),
        _one(served, Max("claimed_at")).asc(nulls_first=True),
        "queued_at",
    )


def _one(runs: QuerySet[IndexRun], figure: Aggregate) -> Subquery:
    key = "repository__organization"
    return Subquery(runs.values(key).annotate(figure=figure).values("figure"))


def _taken(run: IndexRun) -> "Claim | None":
    IndexRun.objects.filter(pk=run.pk).update(
        state=RunState.APPLYING,
        claim=uuid.uuid4(),
        claimed_at=timezone.now(),
        lease_until=_lease(),
        attempts=F("attempts") + 1,
    )
    claimed = IndexRun.objects.select_related("repository__organization", "api_token").get(
        pk=run.pk
    )
    if claimed.attempts > settings.RUN_MAX_ATTEMPTS:
        end_claimed_run(
            run=claimed,
            state=RunState.FAILED,
            error=f"Applying the run ended without an answer {settings.RUN_MAX_ATTEMPTS} times; "
            "the service's log has the reason. Run the indexer again.",
            is_unprocessable=True,
        )
        return None
    return Claim(run=claimed)


def expire_leases() -> int:
    """Make every run that is being applied claimable; returns their number.

    For the start of a process that is the only one to apply.
    """
    return IndexRun.objects.filter(state=RunState.APPLYING).update(lease_until=Now())


def _lease() -> CombinedExpression:
    return seconds_from_now(settings.RUN_LEASE_SECONDS)


@dataclass
class Claim:
    """The claim of this thread on a run."""

    run: IndexRun
    _reported_at: float = field(default_factory=time.monotonic)

    @property
    def is_last(self) -> bool:
        """Whether this is the last attempt."""
        return self.run.attempts >= settings.RUN_MAX_ATTEMPTS

    @contextmanager
    def kept_alive(self) -> Iterator[None]:
        """Renew the lease from a thread of its own, as long as this one makes progress."""
        ended = threading.Event()
        thread = threading.Thread(target=self._beat, args=[ended], name="heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _beat(self, ended: threading.Event) -> None:
        try:
            while not ended.wait(settings.RUN_LEASE_SECONDS / _BEATS):
                if time.monotonic() - self._reported_at > _HANGING_SECONDS:
                    _log.error("apply_hangs", run=str(self.run.pk))
                    return
                self._renew()
        finally:
            connection.close()

    def _renew(self) -> None:
        """Renew the lease unless the final transaction has the row: that needs none."""
        try:
            with transaction.atomic():
                if self._mine().select_for_update(skip_locked=True, no_key=True).exists():
                    self._mine().update(lease_until=_lease())
        except Error as exc:  # the apply meets it, too, and says what comes of it
            _log.warning("heartbeat_failed", run=str(self.run.pk), error=str(exc))
            connection.close()

    def report(self, stage: str, done: int, total: int) -> None:
        """Save progress and renew the lease, once a second at most. Raises ClaimLostError."""
        now = time.monotonic()
        if now - self._reported_at < _PROGRESS_EVERY_SECONDS:
            return
        self._reported_at = now
        progress = {
            "stage": stage,
            "done": done,
            "total": total,
            "percent": 100 * done // total if total else 100,
        }
        if not self._mine().update(lease_until=_lease(), progress=progress, retries=0):
            raise ClaimLostError
        self.run.retries = 0

    def lock(self) -> None:
        """Lock the run's row until the transaction ends. Raises ClaimLostError."""
        if not self._mine().select_for_update(no_key=True).exists():
            raise ClaimLostError

    def _mine(self) -> QuerySet[IndexRun]:
        return IndexRun.objects.filter(
            pk=self.run.pk, state=RunState.APPLYING, claim=self.run.claim
        )

    def requeue(self, error: str) -> None:
        """Queue the run again with a back-off: a service that it needs is unavailable."""
        delay = min(2**self.run.retries, _LONGEST_BACKOFF_SECONDS)
        _log.warning("apply_postponed", run=str(self.run.pk), error=error, seconds=delay)
        self._queue_again(error, delay, attempts=F("attempts") - 1, retries=F("retries") + 1)

    def record_crash(self, error: str) -> None:
        """Queue the run again after an unexpected error: the attempt counts."""
        self._queue_again(error, min(2**self.run.attempts, _LONGEST_BACKOFF_SECONDS))

    def _queue_again(self, error: str, delay: int, **counters: CombinedExpression) -> None:
        self._mine().update(
            state=RunState.QUEUED,
            claim=None,
            lease_until=seconds_from_now(delay),
            progress={"stage": "waiting", "reason": error},
            **counters,
        )


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
    return list(claimable_runs().values_list("pk", flat=True))
