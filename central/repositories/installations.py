"""Repositories that an installation of the GitHub App lists, and whether they are expected.

The lists are kept for every organisation; only one that switched that on expects what they have.
All of it needs the organisation's lock.
"""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from central.repositories.expectations import (
    ListedRepository,
    expect_no_longer,
    expect_repositories,
)
from central.repositories.models import ExpectedBy, InstalledRepository, Repository
from central.tenancy.audit import record
from central.tenancy.models import Organization

_LISTED: Final = ("name", "forge_key", "visibility")  # the fields of a ListedRepository


def note_installed(
    organization: Organization, *, installation_id: int, listed: Sequence[ListedRepository]
) -> None:
    """Keep what the installation may read as well; it is expected if the organisation wants that.

    Of more than the limit of repositories the first are kept.
    """
    by_id = {
        repository.forge_key: repository
        for repository in listed
        if repository.forge_key is not None
    }
    others = _installed(organization).exclude(forge_key__in=by_id).count()
    kept = dict(islice(by_id.items(), max(0, settings.REPOSITORIES_MAX - others)))
    InstalledRepository.objects.bulk_create(
        [
            InstalledRepository(
                organization=organization,
                installation_id=installation_id,
                forge_key=forge_key,
                name=repository.name,
                visibility=repository.visibility,
            )
            for forge_key, repository in kept.items()
        ],
        update_conflicts=True,
        unique_fields=["organization", "forge_key"],
        update_fields=["installation_id", "name", "visibility"],
    )
    if Organization.objects.filter(pk=organization.pk, expects_installed=True).exists():
        _expect(organization, list(kept.values()))


def forget_installed(
    organization: Organization, *, installation_id: int, forge_keys: Collection[int] | None = None
) -> None:
    """Forget what the installation may no longer read, None for all; it is not expected then."""
    gone = _installed(organization).filter(installation_id=installation_id)
    if forge_keys is not None:
        gone = gone.filter(forge_key__in=forge_keys)
    ids = list(gone.values_list("forge_key", flat=True))
    gone.delete()
    expect_no_longer(_expected(organization).filter(forge_key__in=ids))


def rename_installed(organization: Organization, *, forge_key: int, name: str) -> None:
    """Keep the name that the forge signed."""
    _installed(organization).filter(forge_key=forge_key).update(name=name)


def forget_removed(organization: Organization, *, forge_key: int) -> None:
    """Forget a repository that was deleted or transferred."""
    _installed(organization).filter(forge_key=forge_key).delete()


@transaction.atomic
def expect_installed(organization: Organization, *, is_on: bool, actor: str) -> bool:
    """Expect what installations list, now and later, or no longer; False if that is so already.

    What a run or a backfill has announced stays expected. Takes the organisation's lock.
    """
    locked = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    if locked.expects_installed == is_on:
        return False
    Organization.objects.filter(pk=organization.pk).update(expects_installed=is_on)
    if is_on:
        rows = _installed(organization).order_by("name")
        _expect(organization, [ListedRepository(*row) for row in rows.values_list(*_LISTED)])
    else:
        expect_no_longer(_expected(organization))
    record(
        actor=actor,
        action="organization.changed",
        target=organization.slug,
        organization=organization,
        detail={"expects_installed": {"before": not is_on, "after": is_on}},
    )
    return True


def _expect(organization: Organization, listed: Sequence[ListedRepository]) -> None:
    """Expect them. A list has no time: whatever the forge signed with one is newer."""
    expect_repositories(
        listed, organization_id=organization.pk, by=ExpectedBy.INSTALLATION, asked_at=None
    )


def _installed(organization: Organization) -> QuerySet[InstalledRepository]:
    return InstalledRepository.objects.filter(organization=organization)


def _expected(organization: Organization) -> QuerySet[Repository]:
    return Repository.objects.filter(organization=organization, expected_by=ExpectedBy.INSTALLATION)
