"""Deletion of an organisation with all its data, except its entries in the audit log.

It is marked first, which hides it from every token, person and webhook. Its repositories are
retired and purged. After the last one, its data in the vector store and its own rows are deleted,
and the slug is free. The next sweep continues after an interruption.
"""

from collections.abc import Callable

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from central.corpus.backends import vector_store
from central.errors import NotFoundError
from central.github.models import GitHubDelivery
from central.ingest.models import Delivery
from central.maintenance.repository_deletion import (
    delete_rows,
    deletion,
    purge_repository,
    purgeable_repositories,
)
from central.repositories.models import Repository
from central.tenancy.audit import SERVICE, record
from central.tenancy.models import ApiToken, Organization, parse_organization_slug
from central.trace.stored.models import (
    Edge,
    FollowedRepository,
    Inheritance,
    PackageImport,
    Path,
    Question,
    Source,
)

_FOLLOWED = "repository_id IN (SELECT repository_id FROM {followed} WHERE organization_id = %s)"
# Tables with many rows; all others cascade from the organisation's row.
_DELETIONS = [
    *(
        deletion(model, _FOLLOWED, followed=FollowedRepository)
        for model in (Edge, Inheritance, PackageImport, Source, Path)
    ),
    *(
        deletion(model, "organization_id = %s")
        for model in (Question, GitHubDelivery, Delivery, ApiToken)
    ),
]

_log = structlog.get_logger(__name__)


def schedule_deletion(*, slug: str, actor: str) -> Organization:
    """Hide the organisation permanently; `delete_scheduled_organizations` deletes its data.

    Not in a transaction. Raises NotFoundError.
    """
    slug = parse_organization_slug(slug)
    with transaction.atomic():
        found = Organization.all_objects.select_for_update().filter(slug=slug).first()
        if found is None:
            raise NotFoundError(
                f"There is no organisation '{slug}'.", code="organization_not_found"
            )
        if found.retired_at is None:
            found.retired_at, found.github_owner_id = timezone.now(), None
            found.save(update_fields=["retired_at", "github_owner_id"])
            record(actor=actor, action="organization.retired", target=slug, organization=slug)
    _retire_repositories(found)
    return found


def purge_retired(
    *, organization: Organization | None = None, go_on: Callable[[], bool] = lambda: True
) -> None:
    """Purge the retired repositories that are due, then delete the scheduled organisations.

    `organization`: only its repositories. `go_on` is asked after each, which may take minutes.
    Not in a transaction. Raises StoreError.
    """
    for repository_id in purgeable_repositories(now=timezone.now(), organization=organization):
        purge_repository(repository_id=repository_id)
        if not go_on():
            return
    delete_scheduled_organizations()


def delete_scheduled_organizations() -> None:
    """Continue the scheduled deletions. Not in a transaction. Raises StoreError."""
    for organization in Organization.all_objects.filter(retired_at__isnull=False):
        _retire_repositories(organization)
        if not Repository.objects.filter(organization=organization).exists():
            _purge(organization)


def _retire_repositories(organization: Organization) -> None:
    """Retire its repositories; the new generation makes a present apply stale."""
    Repository.objects.filter(organization=organization, retired_at=None).update(
        retired_at=timezone.now(), generation=F("generation") + 1
    )


def _purge(organization: Organization) -> None:
    vector_store().drop_organization(organization.slug)
    for statement in _DELETIONS:
        delete_rows(statement, organization.pk)
    with transaction.atomic():
        Organization.all_objects.filter(pk=organization.pk).delete()
        record(
            actor=SERVICE,
            action="organization.purged",
            target=organization.slug,
            organization=organization.slug,
        )
    _log.info("organization_purged", organization=organization.slug)
