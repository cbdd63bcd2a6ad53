"""The queue of repositories that are cloned: limits, turns, ends, and what is queued again."""

import time
from typing import Any, Final, Self

import structlog
from django.conf import settings
from django.db import transaction
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
from django.db.models.functions import Now

from central.db import execute
from central.jobs import Claim, seconds_from_now
from central.onboarding.models import ACTIVE, Backfill, BackfillRepository, WorkState
from central.repositories.expectations import expect_no_longer, note_no_index
from central.repositories.models import BranchPush, ExpectedBy, IndexedBy, Push, Repository
from central.tenancy.audit import GITHUB

BACKFILL_ATTEMPTS: Final = 5
_CLAIM_LOCK = 7_311_905_530_441  # advisory: claims are counted and made under it
_HOUR = 3_600
_IS_DUE = Q(requested_at__gt=F("claimed_at"))  # again, since it is worked on

_log = structlog.get_logger(__name__)


class CloneClaim(Claim[BackfillRepository]):
    """The claim on a repository that is cloned and indexed."""

    model = BackfillRepository
    waiting = Q(state=WorkState.QUEUED)
    running = Q(state=WorkState.RUNNING)
    alive = ACTIVE
    begins = {"state": WorkState.RUNNING, "stage": "cloning"}
    waits = {"state": WorkState.QUEUED, "stage": ""}
    related = ("organization", "backfill", "repository")
    has_due_at = True
    has_claimed_at = True
    pause_factor = 4
    lease = "BACKFILL.lease_seconds"
    attempts = BACKFILL_ATTEMPTS

    def __init__(self, row: BackfillRepository) -> None:
        super().__init__(row)
        self._started_at = time.monotonic()

    @classmethod
    @transaction.atomic
    def next(cls) -> Self | None:
        """Claim the repository whose turn it is; None if none is due or a limit is reached."""
        execute("SELECT pg_advisory_xact_lock(%s::bigint)", [_CLAIM_LOCK])
        if cls.held().count() >= settings.BACKFILL.at_once:
            return None
        due = cls.in_turn("due_at", "pk")
        return cls.take(due.exclude(organization__in=_rate_limited()))

    def finish(self, *, commit_sha: str, repository: Repository, said: str = "") -> None:
        """End well. The next push starts with all attempts. `said`: what is not indexed of it."""
        history: dict[str, Any] = {}
        if self.row.history_due:
            history = {
                "history_due": Case(When(_IS_DUE, then=F("history_due")), default=Value(False)),
                "history_at": Now(),
            }
        self._end(WorkState.DONE, said, commit_sha=commit_sha, repository=repository, **history)

    def skip(self, why: str, *, has_nothing: bool = False) -> None:
        """End without an index; nothing failed. `has_nothing`: there is nothing to index."""
        if self._end(WorkState.SKIPPED, why):
            self._note_no_index(why)
            if has_nothing and self.row.repository:
                expect_no_longer(Repository.objects.filter(pk=self.row.repository.pk))

    def fail(self, error: str) -> None:
        """End for good."""
        if self._end(WorkState.FAILED, error):
            self._note_no_index(error)
        _log.warning("backfill_failed", repository=self.row.name, error=error)

    def _end(self, state: WorkState, error: str, **fields: Any) -> bool:
        """End the work; a repository that was asked for meanwhile is queued again."""
        return self.end(
            state=Case(When(_IS_DUE, then=Value(WorkState.QUEUED)), default=Value(state)),
            attempts=Case(
                When(_IS_DUE, then=0), default=F("attempts"), output_field=IntegerField()
            ),
            ended_at=Now(),
            stage="",
            seconds=round(time.monotonic() - self._started_at, 2),
            **self.reason(error),
            **fields,
        )

    def _note_no_index(self, error: str) -> None:
        if self.row.repository:
            note_no_index(self.row.repository, **self.reason(error))


def _rate_limited() -> list[int]:
    """Return the organisations that have had their clones of this hour."""
    recent = BackfillRepository.objects.filter(claimed_at__gt=seconds_from_now(-_HOUR)).order_by()
    counted = recent.values("organization").annotate(count=Count("pk"))
    full = counted.filter(count__gte=settings.BACKFILL.per_hour)
    return list(full.values_list("organization", flat=True))


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
        ended_at=Now(),
    )


def queue_again(rows: QuerySet[BackfillRepository], *, actor: str, **more: Any) -> int:
    """Queue repositories, due now; those that are worked on are due again when that ends."""
    is_running = When(state=WorkState.RUNNING, then=F("state"))
    state = Case(is_running, default=Value(WorkState.QUEUED))
    return rows.update(
        state=state, requested_at=Now(), requested_by=actor, due_at=Now(), attempts=0, **more
    )


def link_repositories(backfill: Backfill) -> None:
    """Point each repository of the backfill to its row, which is there before its first index."""
    here = Repository.objects.filter(organization=OuterRef("organization"), retired_at=None)
    by_id = here.filter(forge_key=OuterRef("forge_key"))
    by_name = here.filter(forge_key=None, name=OuterRef("name"))
    unlinked = BackfillRepository.objects.filter(backfill=backfill).filter(
        Q(repository=None) | Q(repository__retired_at__isnull=False)
    )
    unlinked.exclude(forge_key=None).update(repository=Subquery(by_id.values("pk")[:1]))
    unlinked.filter(forge_key=None).update(repository=Subquery(by_name.values("pk")[:1]))


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
    return count + _queue_branches()


def _queue_branches() -> int:
    """Do so for pushes to branches beside the default one, which its work looks for itself."""
    pushes = BranchPush.objects.filter(repository__indexed_by=IndexedBy.CENTRAL)
    count = 0
    for repository in list(pushes.values_list("repository", flat=True).distinct()):
        seen = list(pushes.filter(repository=repository).values_list("pk", "commit_sha"))
        rows = BackfillRepository.objects.filter(
            ACTIVE, repository=repository, repository__paused=False
        )
        count += queue_again(rows, actor=GITHUB)
        for key, commit in seen:
            BranchPush.objects.filter(pk=key, commit_sha=commit).delete()
    return count
