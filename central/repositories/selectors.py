"""Which repositories a credential may see: the one place where answers are filtered."""

from django.db.models import QuerySet

from central.repositories.models import Repository
from central.tenancy.credentials import Credential


def visible_repositories(*, credential: Credential) -> QuerySet[Repository]:
    """Repositories of the credential's organisation that it may see. What is not here, is not."""
    repositories = Repository.objects.filter(organization=credential.organization)
    if credential.repositories is None:
        return repositories
    return repositories.filter(name__in=credential.repositories)
