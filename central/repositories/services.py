"""Changing what a repository is called, and whether it is still there.

Every function needs a transaction in which the organisation's names are not given out elsewhere:
lock the Organization's row first.
"""

from central.repositories.models import Repository


def rename_repository(repository: Repository, name: str) -> None:
    """Give it the name; who had it before keeps its index under a name of its own."""
    if repository.name == name:
        return
    if holder := Repository.objects.filter(
        organization_id=repository.organization_id, name=name
    ).first():
        displace_repository(holder)
    repository.name = name
    repository.save(update_fields=["name"])


def displace_repository(repository: Repository) -> None:
    """Its name is another repository's now; it keeps its index under a name of its own."""
    repository.name = f"{repository.name}~{repository.pk}"
    repository.save(update_fields=["name"])
