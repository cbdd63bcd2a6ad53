"""Requests for a backfill: who may ask for which owner or address, and what is stored of it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from central.errors import ConflictError, ForbiddenError, InvalidError, NotFoundError
from central.onboarding.addresses import CloneAddress, parse_address, project_name
from central.onboarding.credentials import needs_operator, require_github
from central.onboarding.models import ACTIVE, Backfill, BackfillRepository, ListState
from central.onboarding.services.queue import end_cancelled, link_repositories, queue_again
from central.repositories.expectations import ListedRepository, expect_repositories
from central.repositories.models import ExpectedBy, IndexedBy, Repository
from central.tenancy.audit import record
from central.tenancy.models import Organization
from indexer.errors import ConfigurationError
from indexer.forge.repositories import is_login
from indexer.forge.selection import Selection

BACKFILL_URLS: Final = 1_000  # of one request
_LONGEST_PATH = 6  # groups of an address that its project's name may have


def request_owner(
    *, organization: Organization, owner: str, selection: Selection, actor: str
) -> Backfill:
    """Queue the list of an owner's repositories; a worker reads it.

    The owner must be the organisation's own, by GitHub's id, which is checked when it is listed.
    Raises InvalidError, ConflictError (`github_credential_missing`), ForbiddenError
    (`owner_unknown`).
    """
    if not is_login(owner):
        raise InvalidError("owner: give the name of an organisation or a user at GitHub.")
    _check_selection(selection)
    require_github()
    if organization.github_owner_id is None:
        raise ForbiddenError(
            "The organisation has no GitHub owner yet. The operator sets it: `manage.py backfill "
            f"{organization.slug} --owner {owner}`, or `manage.py github_policy --owner-id`.",
            code="owner_unknown",
        )
    return _create(
        Backfill(
            organization=organization,
            owner=owner,
            owner_id=organization.github_owner_id,
            selection=asdict(selection),
            requested_by=actor,
        )
    )


def request_addresses(
    *, organization: Organization, urls: Sequence[str], actor: str, may_use_credentials: bool
) -> Backfill:
    """Queue the repositories at these addresses.

    The operator's credentials for a host read more than one organisation may: only the operator's
    own request may use them (`may_use_credentials`), now and whenever its repositories are cloned
    again. Raises InvalidError, ForbiddenError.
    """
    if not 1 <= len(urls) <= BACKFILL_URLS:
        raise InvalidError(f"urls: give 1 to {BACKFILL_URLS:,} addresses.")
    addresses = [parse_address(url, settings.BACKFILL) for url in dict.fromkeys(urls)]
    if not may_use_credentials:
        for address in addresses:
            _require_public(address)
    backfill = _create(
        Backfill(
            organization=organization,
            requested_by=actor,
            may_use_credentials=may_use_credentials,
            state=ListState.LISTED,
        )
    )
    for address in addresses:
        _queue_address(backfill, address)
    return backfill


def request_again(repository: Repository, *, actor: str) -> bool:
    """Queue a repository that this service clones, to be due now; False if a workflow indexes it.

    Also False while it is paused, and if its backfill was cancelled: nothing is cloned then. What
    may be used stays as its backfill has it, also if another person asks.
    """
    cloned = BackfillRepository.objects.filter(
        ACTIVE,
        repository=repository,
        repository__indexed_by=IndexedBy.CENTRAL,
        repository__paused=False,
    )
    return bool(queue_again(cloned, actor=actor, error=""))


def cancel_backfill(backfill: Backfill, *, actor: str) -> None:
    """End a backfill: what is running ends at its next heartbeat, and pushes are not followed."""
    with transaction.atomic():
        Backfill.objects.filter(pk=backfill.pk).update(state=ListState.CANCELLED)
        end_cancelled(backfill)
        record(
            actor=actor,
            action="backfill.cancelled",
            target=str(backfill),
            organization=backfill.organization,
        )


def find_backfill(*, organization: Organization, backfill_id: UUID) -> Backfill:
    """Return one of the organisation's backfills. Raises NotFoundError (`backfill_not_found`)."""
    found = Backfill.objects.filter(organization=organization, pk=backfill_id).first()
    if found is None:
        raise NotFoundError(
            "There is no such backfill for this credential; check its id.",
            code="backfill_not_found",
        )
    return found


@transaction.atomic
def _create(backfill: Backfill) -> Backfill:
    backfill.save(force_insert=True)
    record(
        actor=backfill.requested_by,
        action="backfill.requested",
        target=str(backfill),
        organization=backfill.organization,
        detail={"id": str(backfill.pk), "selection": backfill.selection},
    )
    return backfill


def _check_selection(selection: Selection) -> None:
    try:
        selection.check()
    except ConfigurationError as exc:
        raise InvalidError(str(exc)) from exc


def _require_public(address: CloneAddress) -> None:
    """Refuse what the operator's own credential or disk would open."""
    if needs_operator(address):
        raise ForbiddenError(
            f"{address.url} needs a credential of the operator, who may add it: `manage.py "
            "backfill ORGANISATION --url …`.",
            code="git_credential_refused",
        )


@transaction.atomic
def _queue_address(backfill: Backfill, address: CloneAddress) -> None:
    """Queue an address, again if it is known; its project keeps its name."""
    # One name at a time: two addresses must not get the same project.
    Organization.objects.select_for_update(no_key=True).get(pk=backfill.organization_id)
    known = BackfillRepository.objects.filter(
        organization=backfill.organization, url=address.url, forge_key=None
    )
    if known.exists():
        queue_again(known, actor=backfill.requested_by, backfill=backfill, error="")
        name = known.get().name
    else:
        name = _free_name(backfill.organization, address.url)
        BackfillRepository.objects.create(
            organization=backfill.organization,
            backfill=backfill,
            url=address.url,
            name=name,
            requested_at=Now(),
            requested_by=backfill.requested_by,
            due_at=Now(),
        )
    expect_repositories(
        [ListedRepository(name)],
        organization_id=backfill.organization_id,
        by=ExpectedBy.BACKFILL,
        asked_at=timezone.now(),
    )
    link_repositories(backfill)


def _free_name(organization: Organization, url: str) -> str:
    """Return a name that no project has: groups are added until it is free."""
    for segments in range(1, _LONGEST_PATH + 1):
        name = project_name(url, segments=segments)
        same_name = {"organization": organization, "name": name}
        is_taken = (
            Repository.objects.filter(**same_name).exists()
            or BackfillRepository.objects.filter(**same_name).exists()
        )
        if not is_taken:
            return name
    raise ConflictError(
        f"Every name for {url} is another project's here.", code="project_name_taken"
    )
