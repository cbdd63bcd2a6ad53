"""After an upgrade: runs of repositories that an older extractor has read, and had no merge since.

What a run may use stays as the repository's backfill has it, for any requester.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db import transaction

from central.onboarding.models import ACTIVE, BackfillRepository, WorkState
from central.onboarding.services.queue import queue_again
from central.repositories.extractors import parts_to_read_again
from central.repositories.models import IndexedBy, Repository
from central.tenancy.audit import record
from central.tenancy.models import Organization

_WAITING: Final = (WorkState.QUEUED, WorkState.RUNNING)


class UpgradeState(StrEnum):
    """What becomes of a repository that an older extractor has read."""

    DUE = "due"
    QUEUED = "queued"
    PAUSED = "paused"
    WORKFLOW = "workflow"  # its own workflow has to run: this service may not clone it
    NOT_FOLLOWED = "not_followed"  # no workflow has indexed it, and no backfill is active
    SKIPPED = "skipped"  # its last attempt was


@dataclass(frozen=True, slots=True)
class OlderRepository:
    """A repository that an older extractor has read. `parts` are read again by its next run."""

    repository: Repository
    parts: Sequence[str]
    state: UpgradeState
    row: BackfillRepository | None = None

    @property
    def advice(self) -> str:
        """What its administrator is to do; "" for nothing."""
        match self.state:
            case UpgradeState.PAUSED:
                return "indexing of it is paused: resume it."
            case UpgradeState.WORKFLOW if not self.repository.web_url:
                return "type `codesearch index` in a checkout of it, or run its workflow."
            case UpgradeState.WORKFLOW:
                address = self.repository.web_url.partition("://")[2]
                command = f"gh workflow run code-index.yml --repo {address}"
                return f"its own workflow indexes it, so run that: {command}"
            case UpgradeState.NOT_FOLLOWED:
                return "its backfill was cancelled: request it again, or add a workflow."
            case UpgradeState.SKIPPED:
                return f"it was skipped: {self.row.error if self.row else ''}"
        return ""


def older_repositories(organization: Organization) -> Iterator[OlderRepository]:
    """Yield the organisation's repositories that an older extractor has read, by name."""
    here = Repository.objects.filter(
        organization=organization, retired_at=None, generation__gt=0
    ).order_by("name")
    older = [
        (repository, parts)
        for repository in here.iterator()
        if (parts := parts_to_read_again(repository))
    ]
    cloned = BackfillRepository.objects.filter(
        ACTIVE, repository__in=[repository.pk for repository, _ in older]
    )
    rows = {row.repository_id: row for row in cloned}
    for repository, parts in older:
        row = rows.get(repository.pk)
        yield OlderRepository(repository, parts, _state(repository, row), row)


@transaction.atomic
def queue_older(organization: Organization, *, limit: int, actor: str) -> int:
    """Queue at most `limit` of those that are due; return how many. Nothing is queued twice."""
    due = [
        older_repository.row.pk
        for older_repository in older_repositories(organization)
        if older_repository.state is UpgradeState.DUE and older_repository.row
    ]
    rows = BackfillRepository.objects.filter(
        ACTIVE,
        pk__in=due[:limit],
        repository__indexed_by=IndexedBy.CENTRAL,
        repository__paused=False,
        repository__retired_at=None,
    ).exclude(state__in=_WAITING)
    count = queue_again(rows, actor=actor, error="")
    if count:
        record(
            actor=actor,
            action="index.upgrade_requested",
            target=str(organization),
            organization=organization,
            detail={"repositories": count},
        )
    return count


def counts_of(found: Sequence[OlderRepository]) -> dict[UpgradeState, int]:
    """Return how many are in each state, without those that none is in."""
    counts: dict[UpgradeState, int] = defaultdict(int)
    for repository in found:
        counts[repository.state] += 1
    return {state: counts[state] for state in UpgradeState if counts[state]}


def _state(repository: Repository, row: BackfillRepository | None) -> UpgradeState:
    if repository.paused:
        return UpgradeState.PAUSED
    if repository.indexed_by != IndexedBy.CENTRAL:
        return UpgradeState.WORKFLOW
    if row is None:
        return UpgradeState.NOT_FOLLOWED
    if row.state in _WAITING:
        return UpgradeState.QUEUED
    return UpgradeState.SKIPPED if row.state == WorkState.SKIPPED else UpgradeState.DUE
