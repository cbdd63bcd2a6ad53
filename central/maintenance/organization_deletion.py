"""Deleting an organisation and all that it gave us. Only its entries in the audit log stay.

First it is marked: from then on nobody sees it, by any token, person or webhook. Then its
repositories are retired, and purged as others are; when the last is gone, so are what the vector
store made for it and its own rows, and the slug may be given again. Whatever ends the process, the
next sweep goes on.
"""

import structlog
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from central.corpus.backends import vector_store
from central.errors import NotFoundError
from central.github.models import GitHubDelivery
from central.ingest.models import Delivery
from central.repositories.models import Repository
from central.tenancy.audit import SERVICE, record
from central.tenancy.models import ApiToken, Organization, parse_organization_slug

_ROWS = 10_000  # a statement

# What may be many; all else goes with the organisation's row.
_TABLES = tuple(model._meta.db_table for model in (GitHubDelivery, Delivery, ApiToken))

_log = structlog.get_logger(__name__)


def retire_organization(*, slug: str, actor: str) -> Organization:
    """Make it invisible, at once and for good; what it holds is purged by who calls the below.

    One that is retired already stays so. Not in a transaction. Raises NotFoundError.
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


def purge_organizations() -> None:
    """Go on with those that are retired. Not in a transaction. Raises StoreError."""
    for organization in Organization.all_objects.filter(retired_at__isnull=False):
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
    for table in _TABLES:
        _delete_rows(table, organization.pk)
    with transaction.atomic():
        Organization.all_objects.filter(pk=organization.pk).delete()
        record(
            actor=SERVICE,
            action="organization.purged",
            target=organization.slug,
            organization=organization.slug,
        )
    _log.info("organization_purged", organization=organization.slug)


def _delete_rows(table: str, organization_id: int) -> None:
    statement = (
        f"DELETE FROM {table} WHERE ctid = ANY(ARRAY("  # noqa: S608
        f"SELECT ctid FROM {table} WHERE organization_id = %s LIMIT {_ROWS}))"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [organization_id])
        while cursor.rowcount == _ROWS:
            cursor.execute(statement, [organization_id])
