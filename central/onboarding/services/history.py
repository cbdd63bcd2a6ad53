"""The past of repositories that are indexed already: runs that send all their commits again."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from central.onboarding.models import ACTIVE, BackfillRepository, WorkState
from central.onboarding.services.queue import queue_again
from central.repositories.models import IndexedBy, Repository
from central.tenancy.audit import record
from central.tenancy.models import Organization


@dataclass(frozen=True, slots=True)
class HistoryCounts:
    """Repositories by what becomes of their past; `others` are not cloned by this service."""

    queued: int
    waiting: int
    brought: int
    others: int


@transaction.atomic
def queue_histories(organization: Organization, *, actor: str) -> HistoryCounts:
    """Queue a run for each repository whose past no run of this service has brought.

    Nothing is queued twice. A run uses the credentials that its backfill may use.
    """
    waiting = _cloned(organization).filter(history_due=True)
    waiting = waiting.filter(state__in=[WorkState.QUEUED, WorkState.RUNNING])
    waits = waiting.count()
    due = _cloned(organization).filter(history_at=None).exclude(pk__in=waiting.values("pk"))
    queued = queue_again(due.exclude(state=WorkState.SKIPPED), actor=actor, history_due=True)
    if queued:
        record(
            actor=actor,
            action="index.history_requested",
            target=str(organization),
            organization=organization,
            detail={"repositories": queued},
        )
    indexed = Repository.objects.filter(
        organization=organization, retired_at=None, generation__gt=0
    ).count()
    brought = _cloned(organization).exclude(history_at=None).filter(history_due=False).count()
    return HistoryCounts(queued, waits, brought, max(0, indexed - queued - waits - brought))


def _cloned(organization: Organization) -> QuerySet[BackfillRepository]:
    """Return the repositories that this service indexes after each push."""
    return BackfillRepository.objects.filter(
        ACTIVE,
        organization=organization,
        repository__indexed_by=IndexedBy.CENTRAL,
        repository__paused=False,
        repository__retired_at=None,
        repository__generation__gt=0,
    )
