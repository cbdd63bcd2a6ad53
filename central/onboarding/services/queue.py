"""The queue: claims by conditional UPDATE with a lease, rates, retries and ends."""

import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from central.leases import has_lease, is_over, seconds_from_now
from central.onboarding.models import ACTIVE, Backfill, BackfillRepository, WorkState
from central.repositories.expectations import expect_no_longer, note_no_index
from central.repositories.models import ExpectedBy, IndexedBy, Push, Repository
from central.tenancy.audit import GITHUB
from indexer.output.terminal import foreign_line

BACKFILL_ATTEMPTS: Final = 5
BACKFILL_ERROR_CHARACTERS: Final = 500
_CLAIM_LOCK = 7_311_905_530_441  # advisory: claims are counted and made under it
_BEAT_SECONDS = 5.0
_FIRST_PAUSE_SECONDS = 30
_LONGEST_PAUSE_SECONDS = 3_600
_HOUR = timedelta(hours=1)

_log = structlog.get_logger(__name__)


class ClaimLostError(Exception):
    """Another process has the repository, or its backfill was cancelled: stop without changes."""


def claimable() -> QuerySet[BackfillRepository]:
    """Return repositories that are due and that no process works on."""
    return BackfillRepository.objects.filter(
        Q(state=WorkState.QUEUED, due_at__lte=timezone.now())
        | Q(state=WorkState.RUNNING) & is_over(settings.BACKFILL.lease_seconds),
        ACTIVE,
    )


@transaction.atomic
def claim_next() -> "Claim | None":
    """Claim the next repository; None if none is due or the limits are reached.

    An organisation with fewer running clones comes first, then the longest wait.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CLAIM_LOCK])
    now = timezone.now()
    running = BackfillRepository.objects.filter(
        has_lease(settings.BACKFILL.lease_seconds), state=WorkState.RUNNING
    )
    if running.count() >= settings.BACKFILL.at_once:
        return None
    due = (
        claimable()
        .annotate(of_organization=_running_clones(running))
        .exclude(organization__in=_rate_limited(now))
        .select_for_update(skip_locked=True, no_key=True, of=("self",))
        .order_by("of_organization", "due_at", "pk")
    )
    while (row := due.first()) is not None:
        if claim := _claim(row, now):
            return claim
    return None


def _running_clones(running: QuerySet[BackfillRepository]) -> Coalesce:
    counted = (
        running.filter(organization=OuterRef("organization"))
        .order_by()
        .values("organization")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return Coalesce(Subquery(counted), 0)


def _rate_limited(now: datetime) -> list[int]:
    """Return the organisations that have had their clones of this hour."""
    recent = BackfillRepository.objects.filter(claimed_at__gt=now - _HOUR).order_by()
    counted = recent.values("organization").annotate(count=Count("pk"))
    full = counted.filter(count__gte=settings.BACKFILL.per_hour)
    return list(full.values_list("organization", flat=True))


def _claim(row: BackfillRepository, now: datetime) -> "Claim | None":
    if row.attempts >= BACKFILL_ATTEMPTS:
        error = (
            f"It ended without an answer {BACKFILL_ATTEMPTS} times; the service's log has the "
            "reason."
        )
        _end(BackfillRepository.objects.filter(pk=row.pk), WorkState.FAILED, error)
        _note_no_index(row, error)
        return None
    BackfillRepository.objects.filter(pk=row.pk).update(
        state=WorkState.RUNNING,
        claim=uuid.uuid4(),
        claimed_at=now,
        lease_until=_lease(),
        attempts=F("attempts") + 1,
        stage="cloning",
    )
    claimed = BackfillRepository.objects.select_related(
        "organization", "backfill", "repository"
    ).get(pk=row.pk)
    return Claim(claimed)


def _lease() -> CombinedExpression:
    return seconds_from_now(settings.BACKFILL.lease_seconds)


def _end(rows: QuerySet[BackfillRepository], state: WorkState, error: str, **more: Any) -> bool:
    """End the work; a repository that was asked for meanwhile is queued again."""
    is_due = Q(requested_at__gt=F("claimed_at"))
    return bool(
        rows.update(
            state=Case(When(is_due, then=Value(WorkState.QUEUED)), default=Value(state)),
            attempts=Case(When(is_due, then=0), default=F("attempts"), output_field=IntegerField()),
            error=foreign_line(error, BACKFILL_ERROR_CHARACTERS),
            claim=None,
            lease_until=None,
            ended_at=timezone.now(),
            stage="",
            **more,
        )
    )


def _note_no_index(row: BackfillRepository, error: str) -> None:
    if row.repository:
        note_no_index(row.repository, error=foreign_line(error, BACKFILL_ERROR_CHARACTERS))


@dataclass
class Claim:
    """The claim of this thread on a repository."""

    row: BackfillRepository
    _started_at: float = field(default_factory=time.monotonic)
    _renewed_at: float = field(default_factory=time.monotonic)

    def beat(self) -> None:
        """Renew the lease every few seconds. Raises ClaimLostError."""
        now = time.monotonic()
        if now - self._renewed_at >= min(_BEAT_SECONDS, settings.BACKFILL.lease_seconds / 4):
            self._renewed_at = now
            self._renew()

    def enter(self, stage: str) -> None:
        """Report what is done now. Raises ClaimLostError."""
        self._renew(stage=stage)

    def _renew(self, **more: Any) -> None:
        if not self._mine().update(lease_until=_lease(), **more):
            raise ClaimLostError

    def finish(self, *, commit_sha: str, repository: Repository) -> None:
        """End well. The next push starts with all attempts."""
        _end(
            self._mine(), WorkState.DONE, "",
            commit_sha=commit_sha, repository=repository, seconds=self._seconds(),
        )  # fmt: skip

    def skip(self, why: str, *, has_nothing: bool = False) -> None:
        """End without an index; nothing failed. `has_nothing`: there is nothing to index."""
        if _end(self._mine(), WorkState.SKIPPED, why, seconds=self._seconds()):
            _note_no_index(self.row, why)
            if has_nothing and self.row.repository:
                expect_no_longer(Repository.objects.filter(pk=self.row.repository.pk))

    def fail(self, error: str) -> None:
        """End for good: another attempt would end alike."""
        if _end(self._mine(), WorkState.FAILED, error, seconds=self._seconds()):
            _note_no_index(self.row, error)
        _log.warning("backfill_failed", repository=self.row.name, error=error)

    def retry(self, error: str) -> None:
        """Try again later; after BACKFILL_ATTEMPTS it has failed."""
        if self.row.attempts >= BACKFILL_ATTEMPTS:
            self.fail(error)
            return
        pause = min(_FIRST_PAUSE_SECONDS * 4 ** (self.row.attempts - 1), _LONGEST_PAUSE_SECONDS)
        self._queue_again(error, pause)

    def requeue(self, error: str, pause_seconds: float) -> None:
        """Wait for a server that is unavailable or limits requests: no attempt is counted."""
        pause = min(max(pause_seconds, _FIRST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
        self._queue_again(error, pause, attempts=F("attempts") - 1)

    def release(self) -> None:
        """Let another process do the work at once: no attempt is counted."""
        self._queue_again("", 0, attempts=F("attempts") - 1)

    def _queue_again(self, error: str, pause: float, **more: Any) -> None:
        self._mine().update(
            state=WorkState.QUEUED,
            due_at=timezone.now() + timedelta(seconds=pause),
            error=foreign_line(error, BACKFILL_ERROR_CHARACTERS),
            claim=None,
            lease_until=None,
            stage="",
            **more,
        )

    def _mine(self) -> QuerySet[BackfillRepository]:
        return BackfillRepository.objects.filter(
            pk=self.row.pk, state=WorkState.RUNNING, claim=self.row.claim
        )

    def _seconds(self) -> float:
        return round(time.monotonic() - self._started_at, 2)


def expire_leases() -> int:
    """Make all running work claimable, for the start of the only process that works."""
    return BackfillRepository.objects.filter(state=WorkState.RUNNING).update(lease_until=Now())


def is_live(claim: uuid.UUID) -> bool:
    """Whether a process works under this claim."""
    return BackfillRepository.objects.filter(claim=claim, lease_until__gt=Now()).exists()


def end_cancelled(backfill: Backfill) -> None:
    """Skip what waits or is worked on, whose worker loses its claim; it is not expected then."""
    chosen = BackfillRepository.objects.filter(backfill=backfill).values("repository")
    expect_no_longer(Repository.objects.filter(pk__in=chosen, expected_by=ExpectedBy.BACKFILL))
    unfinished = BackfillRepository.objects.filter(
        backfill=backfill, state__in=[WorkState.QUEUED, WorkState.RUNNING]
    )
    unfinished.update(
        state=WorkState.SKIPPED,
        error="The backfill was cancelled.",
        claim=None,
        lease_until=None,
        stage="",
        ended_at=timezone.now(),
    )


def queue_again(rows: QuerySet[BackfillRepository], *, actor: str, **more: Any) -> int:
    """Queue repositories, due now; those that are worked on are due again when that ends."""
    now = timezone.now()
    is_running = When(state=WorkState.RUNNING, then=F("state"))
    state = Case(is_running, default=Value(WorkState.QUEUED))
    return rows.update(
        state=state, requested_at=now, requested_by=actor, due_at=now, attempts=0, **more
    )


def link_repositories(backfill: Backfill) -> None:
    """Point each repository of the backfill to its row, which is there before its first index."""
    here = Repository.objects.filter(organization=OuterRef("organization"), retired_at=None)
    by_id = here.filter(github_id=OuterRef("github_id"))
    by_name = here.filter(github_id=None, name=OuterRef("name"))
    unlinked = BackfillRepository.objects.filter(backfill=backfill).filter(
        Q(repository=None) | Q(repository__retired_at__isnull=False)
    )
    unlinked.exclude(github_id=None).update(repository=Subquery(by_id.values("pk")[:1]))
    unlinked.filter(github_id=None).update(repository=Subquery(by_name.values("pk")[:1]))


def queue_pushed() -> int:
    """Queue repositories that were pushed to and that no workflow indexes; return how many.

    A push is a row, so that none is lost: it is due until this has seen it.
    """
    push = Push.objects.filter(repository=OuterRef("repository")).values("commit_sha")
    pushed = (
        BackfillRepository.objects.filter(
            ACTIVE,
            repository__indexed_by=IndexedBy.CENTRAL,
            repository__paused=False,
            repository__retired_at=None,
        )
        .annotate(newest_push=Subquery(push[:1]))
        .exclude(newest_push=None)
        .exclude(newest_push=F("pushed_commit"))
        .exclude(newest_push=F("repository__last_indexed_commit"))
    )
    count = 0
    for row in pushed:
        same = BackfillRepository.objects.filter(ACTIVE, pk=row.pk, pushed_commit=row.pushed_commit)
        count += queue_again(same, actor=GITHUB, pushed_commit=row.newest_push)
    return count
