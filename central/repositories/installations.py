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

_LISTED: Final = ("name", "github_id", "visibility")  # the fields of a ListedRepository


def note_installed(
    organization: Organization, *, installation_id: int, listed: Sequence[ListedRepository]
) -> None:
    """Keep what the installation may read as well; it is expected if the organisation wants that.

    Of more than the limit of repositories the first are kept.
    """
    by_id = {
        repository.github_id: repository
        for repository in listed
        if repository.github_id is not None
    }
    others = _installed(organization).exclude(github_id__in=by_id).count()
    kept = dict(islice(by_id.items(), max(0, settings.REPOSITORIES_MAX - others)))
    InstalledRepository.objects.bulk_create(
        [
            InstalledRepository(
                organization=organization,
                installation_id=installation_id,
                github_id=github_id,
                name=repository.name,
                visibility=repository.visibility,
            )
            for github_id, repository in kept.items()
        ],
        update_conflicts=True,
        unique_fields=["organization", "github_id"],
        update_fields=["installation_id", "name", "visibility"],
    )
    if Organization.objects.filter(pk=organization.pk, expects_installed=True).exists():
        _expect(organization, list(kept.values()))


def forget_installed(
    organization: Organization, *, installation_id: int, github_ids: Collection[int] | None = None
) -> None:
    """Forget what the installation may no longer read, None for all; it is not expected then."""
    gone = _installed(organization).filter(installation_id=installation_id)
    if github_ids is not None:
        gone = gone.filter(github_id__in=github_ids)
    ids = list(gone.values_list("github_id", flat=True))
    gone.delete()
    expect_no_longer(_expected(organization).filter(github_id__in=ids))


def rename_installed(organization: Organization, *, github_id: int, name: str) -> None:
    """Keep the name that the forge signed."""
    _installed(organization).filter(github_id=github_id).update(name=name)


def forget_removed(organization: Organization, *, github_id: int) -> None:
    """Forget a repository that was deleted or transferred."""
    _installed(organization).filter(github_id=github_id).delete()


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
