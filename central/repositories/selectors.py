"""Which repositories a credential may see: the one place where answers are filtered."""

from typing import Any

from django.db.models import QuerySet

from central.repositories.models import Repository
from central.tenancy.credentials import Credential


def visible_repositories(*, credential: Credential) -> QuerySet[Repository]:
    """Repositories of the credential's organisation that it may see. What is not here, is not."""
    repositories = Repository.objects.filter(
        organization=credential.organization, retired_at__isnull=True
    )
    if credential.repositories is not None:
        repositories = repositories.filter(name__in=credential.repositories)
    if credential.visibilities is not None:
        repositories = repositories.filter(visibility__in=credential.visibilities)
    if credential.binding is not None:
        repositories = repositories.filter(github_id=credential.binding.repository_id)
    return repositories


# The same as a condition of SQL on `repositories_repository r`, with its parameters.
VISIBLE = """r.organization_id = %s AND r.retired_at IS NULL
    AND (%s::text[] IS NULL OR r.name = ANY(%s::text[]))
    AND (%s::text[] IS NULL OR r.visibility = ANY(%s::text[]))
    AND (%s::bigint IS NULL OR r.github_id = %s::bigint)"""


def visible_parameters(*, credential: Credential) -> list[Any]:
    """What VISIBLE is asked with."""
    names, kinds = _sorted(credential.repositories), _sorted(credential.visibilities)
    bound = credential.binding and credential.binding.repository_id
    return [credential.organization.pk, names, names, kinds, kinds, bound, bound]


def _sorted(values: frozenset[str] | None) -> list[str] | None:
    return None if values is None else sorted(values)
