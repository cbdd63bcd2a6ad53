"""Which repositories a credential may see: the one place where answers are filtered."""

from typing import Any

from django.db.models import QuerySet

from central.repositories.models import Repository
from central.tenancy.credentials import Credential


def visible_repositories(*, credential: Credential) -> QuerySet[Repository]:
    """Repositories of the credential's organisation that it may see. What is not here, is not."""
    repositories = Repository.objects.filter(organization=credential.organization)
    if credential.repositories is None:
        return repositories
    return repositories.filter(name__in=credential.repositories)


# The same as a condition of SQL on `repositories_repository r`, with its parameters.
VISIBLE = "r.organization_id = %s AND (%s::text[] IS NULL OR r.name = ANY(%s::text[]))"


def visible_parameters(*, credential: Credential) -> list[Any]:
    """What VISIBLE is asked with."""
    names = None if credential.repositories is None else sorted(credential.repositories)
    return [credential.organization.pk, names, names]
