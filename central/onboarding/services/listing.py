"""The list of an owner's repositories, read once for each backfill and put into the queue."""

from collections import Counter
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from central.jobs import Claim, ClaimLostError
from central.onboarding.credentials import owner_api, owners_repositories
from central.onboarding.models import Backfill, BackfillRepository, ListState
from central.onboarding.services.queue import (
    BACKFILL_ATTEMPTS,
    link_repositories,
    queue_again,
)
from central.repositories.expectations import ListedRepository, expect_repositories
from central.repositories.models import ExpectedBy
from central.tenancy.models import Organization
from indexer.errors import ForgeError, ForgeUnavailableError
from indexer.forge.repositories import ForgeRepository
from indexer.forge.selection import Selection

_log = structlog.get_logger(__name__)


class ListClaim(Claim[Backfill]):
    """The claim on a backfill whose list is read."""

    model = Backfill
    waiting = running = Q(state=ListState.LISTING)
    alive = Q(organization__retired_at=None)
    related = ("organization",)
    lease = 900  # longer than the longest list takes
    attempts = BACKFILL_ATTEMPTS

    def fail(self, error: str) -> None:
        """End the backfill."""
        self.end(state=ListState.FAILED, **self.reason(error))


def list_next() -> bool:
    """Read the list of one backfill that waits for it; return whether there was one."""
    claim = ListClaim.take(ListClaim.in_turn("created_at"))
    if claim is None:
        return False
    try:
        asked_at = timezone.now()
        chosen, left_out = _read(claim.row)
        _queue(claim, chosen, left_out, asked_at=asked_at)
        _log.info("backfill_listed", backfill=str(claim.row.pk), chosen=len(chosen))
    except ClaimLostError:
        _log.warning("backfill_claim_lost", backfill=str(claim.row.pk))
    except ForgeUnavailableError as exc:
        if exc.pause_seconds:
            claim.requeue(str(exc), exc.pause_seconds)
        else:
            claim.retry(str(exc))
    except ForgeError as exc:
        claim.fail(str(exc))
    return True


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
    claim: ListClaim,
    chosen: list[ForgeRepository],
    left_out: Counter[str],
    *,
    asked_at: datetime,
) -> None:
    """Put the repositories into the queue; known ones are queued again, never twice.

    Raises ClaimLostError, as after a cancellation.
    """
    backfill = claim.row
    # Names and GitHub ids are assigned under its lock.
    Organization.objects.select_for_update(no_key=True).get(pk=backfill.organization_id)
    claim.lock()  # it cannot be cancelled now
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
    rows = [
        BackfillRepository(
            organization=backfill.organization,
            backfill=backfill,
            forge_key=repository.id,
            name=repository.name,
            requested_at=Now(),
            requested_by=backfill.requested_by,
            due_at=Now(),
        )
        for repository in chosen
    ]
    _merge(backfill, rows)
    claim.end(state=ListState.LISTED, left_out=dict(left_out), error="")


def _merge(backfill: Backfill, rows: list[BackfillRepository]) -> None:
    known = BackfillRepository.objects.filter(
        organization=backfill.organization, forge_key__in=[row.forge_key for row in rows]
    )
    queue_again(known, actor=backfill.requested_by, backfill=backfill, error="")
    known_ids = set(known.values_list("forge_key", flat=True))
    BackfillRepository.objects.bulk_create(
        [row for row in rows if row.forge_key not in known_ids],
        batch_size=500,
        ignore_conflicts=True,
    )
    link_repositories(backfill)
