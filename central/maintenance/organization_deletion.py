"""Deleting an organisation and all that it gave us. Only its entries in the audit log stay.

First it is marked: from then on nobody sees it, by any token, person or webhook. Then its
repositories are retired, and purged as others are; when the last is gone, so are what the vector
store made for it and its own rows, and the slug may be given again. Whatever ends the process, the
next sweep goes on.
"""

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from central.corpus.backends import vector_store
from central.errors import NotFoundError
from central.github.models import GitHubDelivery
from central.ingest.models import Delivery
from central.maintenance.repository_deletion import delete_rows, deletion
from central.repositories.models import Repository
from central.tenancy.audit import SERVICE, record
from central.tenancy.models import ApiToken, Organization

# What may be many; all else goes with the organisation's row.
_DELETIONS = [
    deletion(model, "organization_id = %s") for model in (GitHubDelivery, Delivery, ApiToken)
]

_log = structlog.get_logger(__name__)


def retire_organization(*, slug: str, actor: str) -> Organization:
    """Make it invisible, at once and for good; what it holds is purged by who calls the below.

    One that is retired already stays so. Not in a transaction. Raises NotFoundError.
    """
    slug = slug.removeprefix("org-")
    with transaction.atomic():
        found = Organization.everything.select_for_update().filter(slug=slug).first()
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


def purge_organizations() -> None:
    """Go on with those that are retired. Not in a transaction. Raises StoreError."""
    for organization in Organization.everything.filter(retired_at__isnull=False):
        _retire_repositories(organization)
        if not Repository.objects.filter(organization=organization).exists():
            _purge(organization)


def _retire_repositories(organization: Organization) -> None:
    """The new generation makes an apply that is under way stale."""
    Repository.objects.filter(organization=organization, retired_at=None).update(
        retired_at=timezone.now(), generation=F("generation") + 1
    )


def _purge(organization: Organization) -> None:
    vector_store().drop_organization(organization.slug)
    for statement in _DELETIONS:
        delete_rows(statement, organization.pk)
    with transaction.atomic():
        Organization.everything.filter(pk=organization.pk).delete()
        record(
            actor=SERVICE,
            action="organization.purged",
            target=organization.slug,
            organization=organization.slug,
        )
    _log.info("organization_purged", organization=organization.slug)
