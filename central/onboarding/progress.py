"""The progress of a backfill: one answer for the API, the command and pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from django.db.models import Count, Q

from central.onboarding.credentials import missing_authority
from central.onboarding.models import (
    ACTIVE,
    Authority,
    Backfill,
    BackfillRepository,
    ListState,
    WorkState,
)
from central.tenancy.models import Organization

BACKFILL_ROWS: Final = 200  # repositories on a page of a backfill's progress


@dataclass(frozen=True, slots=True)
class RepositoryProgress:
    """A repository of a backfill."""

    project: str
    state: Annotated[str, WorkState]
    stage: Annotated[str | None, "cloning or indexing, while it is running"]
    commit: Annotated[str | None, "The last commit that was indexed"]
    attempts: int
    seconds: Annotated[float | None, "Of the last attempt"]
    error: Annotated[str | None, "Why it failed or was skipped, or waits for another attempt"]
    indexed_by: Annotated[
        str | None, "action: a workflow indexes later pushes; central: this service does"
    ]
    advice: Annotated[str | None, "What to do if it needs a credential that it may not use"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Repositories by state."""

    queued: int
    running: int
    done: int
    failed: int
    skipped: int


@dataclass(frozen=True, slots=True)
class BackfillProgress:
    """A backfill. It is finished when its list is read and nothing is queued or running.

    A repository belongs to the newest backfill that chose it.
    """

    id: UUID
    org_id: str
    owner: str | None
    state: Annotated[str, ListState]
    finished: bool
    requested_by: str
    authority: Annotated[str, Authority]
    created_at: datetime
    error: str | None
    left_out: Annotated[dict[str, int], "Reason → number of repositories that were not chosen"]
    counts: Counts
    repositories: list[RepositoryProgress]
    next_after: Annotated[int | None, "The `after` of the next page; null: this is the last"]


def progress_of(
    backfill: Backfill, *, after: int = 0, rows: int = BACKFILL_ROWS
) -> BackfillProgress:
    """Return the progress and a page of repositories, in the order of the list, after `after`."""
    repositories = BackfillRepository.objects.filter(backfill=backfill)
    by_state = repositories.order_by().aggregate(
        **{state.value: Count("pk", filter=Q(state=state)) for state in WorkState}
    )
    following = (
        repositories.filter(pk__gt=after)
        .order_by("pk")
        .select_related("organization", "backfill", "repository")
    )
    page = list(following[: rows + 1]) if rows else []
    counts = Counts(**by_state)
    is_ended = backfill.state in {ListState.FAILED, ListState.CANCELLED}
    is_worked_off = backfill.state == ListState.LISTED and not (counts.queued or counts.running)
    return BackfillProgress(
        id=backfill.pk,
        org_id=backfill.organization.slug,
        owner=backfill.owner or None,
        state=backfill.state,
        finished=is_ended or is_worked_off,
        requested_by=backfill.requested_by,
        authority=backfill.authority,
        created_at=backfill.created_at,
        error=backfill.error or None,
        left_out=backfill.left_out,
        counts=counts,
        repositories=[_row(row) for row in page[:rows]],
        next_after=page[rows - 1].pk if len(page) > rows else None,
    )


def without_authority(organization: Organization) -> Iterator[tuple[str, str]]:
    """Yield repositories that need a credential which they may not use, and what to do."""
    named_by_members = BackfillRepository.objects.filter(
        ACTIVE,
        organization=organization,
        forge_key=None,
        backfill__may_use_credentials=False,
    )
    for row in named_by_members.select_related("organization", "backfill"):
        if advice := missing_authority(row):
            yield row.name, advice


def _row(row: BackfillRepository) -> RepositoryProgress:
    return RepositoryProgress(
        project=row.name,
        state=row.state,
        stage=row.stage or None,
        commit=row.commit_sha or None,
        attempts=row.attempts,
        seconds=row.seconds,
        error=row.error or None,
        indexed_by=row.repository.indexed_by if row.repository else None,
        advice=missing_authority(row),
    )
