"""The list of an owner's repositories, read once for each backfill and put into the queue."""

import uuid
from collections import Counter
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from central.onboarding.credentials import owner_api, owners_repositories
from central.onboarding.models import Backfill, BackfillRepository, ListState
from central.onboarding.services.queue import (
    BACKFILL_ATTEMPTS,
    BACKFILL_ERROR_CHARACTERS,
    link_repositories,
    queue_again,
)
from central.repositories.expectations import ListedRepository, expect_repositories
from central.repositories.models import ExpectedBy
from central.tenancy.models import Organization
from indexer.errors import ForgeError, ForgeUnavailableError
from indexer.forge.repositories import ForgeRepository
from indexer.forge.selection import Selection
from indexer.output.terminal import foreign_line

_LIST_SECONDS = 900  # longer than the longest list takes
_PAUSE_SECONDS = 30

_log = structlog.get_logger(__name__)


def list_next() -> bool:
    """Read the list of one backfill that waits for it; return whether there was one."""
    backfill = _claim()
    if backfill is None:
        return False
    try:
        asked_at = timezone.now()
        chosen, left_out = _read(backfill)
        _queue(backfill, chosen, left_out, asked_at=asked_at)
        _log.info("backfill_listed", backfill=str(backfill.pk), chosen=len(chosen))
    except ForgeUnavailableError as exc:
        _postpone(backfill, exc)
    except ForgeError as exc:
        _end(backfill, ListState.FAILED, error=str(exc))
    return True


@transaction.atomic
def _claim() -> Backfill | None:
    now = timezone.now()
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    backfill = (
        Backfill.objects.filter(free, state=ListState.LISTING, organization__retired_at=None)
        .select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("organization")
        .order_by("created_at")
        .first()
    )
    if backfill is None:
        return None
    backfill.claim, backfill.lease_until = uuid.uuid4(), now + timedelta(seconds=_LIST_SECONDS)
    backfill.save(update_fields=["claim", "lease_until"])
    return backfill


def _read(backfill: Backfill) -> tuple[list[ForgeRepository], Counter[str]]:
    """Return the chosen repositories, and how many are left out by reason. Raises ForgeError."""
    selection, chosen, left_out = Selection.of(backfill.selection), [], Counter[str]()
    with owner_api(backfill.owner) as (api, owner):
        allowed = backfill.organization.github_owner_id
        if not owner.id == backfill.owner_id == allowed:
            raise ForgeError(
                f"{backfill.owner} is another owner at GitHub (id {owner.id}) than this "
                f"organisation's ({allowed})."
            )
        for repository in owners_repositories(api, owner):
            if why := selection.reason_against(repository):
                left_out[why] += 1
            else:
                chosen.append(repository)
    return chosen, left_out


@transaction.atomic
def _queue(
    backfill: Backfill,
    chosen: list[ForgeRepository],
    left_out: Counter[str],
    *,
    asked_at: datetime,
) -> None:
    """Put the repositories into the queue; known ones are queued again, never twice."""
    # Names and GitHub ids are assigned under its lock.
    Organization.objects.select_for_update(no_key=True).get(pk=backfill.organization_id)
    if not _mine(backfill):
        return
    expect_repositories(
        [
            ListedRepository(
                forge_repository.name,
                forge_repository.id,
                forge_repository.visibility,
                forge_repository.default_branch,
            )
            for forge_repository in chosen
        ],
        organization_id=backfill.organization_id,
        by=ExpectedBy.BACKFILL,
        asked_at=asked_at,
    )
    now = timezone.now()
    rows = [
        BackfillRepository(
            organization=backfill.organization,
            backfill=backfill,
            github_id=repository.id,
            name=repository.name,
            requested_at=now,
            requested_by=backfill.requested_by,
            due_at=now,
        )
        for repository in chosen
    ]
    _merge(backfill, rows)
    Backfill.objects.filter(pk=backfill.pk).update(
        state=ListState.LISTED, left_out=dict(left_out), error="", claim=None, lease_until=None
    )


def _merge(backfill: Backfill, rows: list[BackfillRepository]) -> None:
    known = BackfillRepository.objects.filter(
        organization=backfill.organization, github_id__in=[row.github_id for row in rows]
    )
    queue_again(known, actor=backfill.requested_by, backfill=backfill, error="")
    known_ids = set(known.values_list("github_id", flat=True))
    BackfillRepository.objects.bulk_create(
        [row for row in rows if row.github_id not in known_ids],
        batch_size=500,
        ignore_conflicts=True,
    )
    link_repositories(backfill)


def _mine(backfill: Backfill) -> bool:
    """Whether it is still listed under this claim; locked, so that it cannot be cancelled now."""
    mine = Backfill.objects.filter(pk=backfill.pk, state=ListState.LISTING, claim=backfill.claim)
    return mine.select_for_update(no_key=True).exists()


def _postpone(backfill: Backfill, problem: ForgeUnavailableError) -> None:
    """List again later; at last the backfill fails."""
    if backfill.attempts + 1 >= BACKFILL_ATTEMPTS and not problem.pause_seconds:
        _end(backfill, ListState.FAILED, error=str(problem))
        return
    pause = problem.pause_seconds or _PAUSE_SECONDS * 2**backfill.attempts
    Backfill.objects.filter(pk=backfill.pk, claim=backfill.claim).update(
        claim=None,
        lease_until=timezone.now() + timedelta(seconds=pause),
        attempts=F("attempts") + (0 if problem.pause_seconds else 1),
        error=foreign_line(str(problem), BACKFILL_ERROR_CHARACTERS),
    )


def _end(backfill: Backfill, state: ListState, *, error: str) -> None:
    Backfill.objects.filter(pk=backfill.pk, claim=backfill.claim).update(
        state=state,
        error=foreign_line(error, BACKFILL_ERROR_CHARACTERS),
        claim=None,
        lease_until=None,
    )
