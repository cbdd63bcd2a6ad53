"""What is cloned for a repository of the queue, as the forge describes it now."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from central.onboarding.clones import GitAccess
from central.onboarding.credentials import github_access, host_access, repository_api
from central.onboarding.models import BackfillRepository
from indexer.forge.repositories import ForgeRepository, find_repository

_KIBIBYTES = 1_024


class SkippedError(Exception):
    """The repository is not indexed, and nothing failed; the message says why."""


class NothingThereError(SkippedError):
    """The repository is empty: no answer lacks it."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is cloned: the address, git's credential, and what GitHub says of the repository."""

    url: str
    access: GitAccess
    github: ForgeRepository | None = None
    asked_at: datetime | None = None


def source_of(row: BackfillRepository) -> Source:
    """Return what to clone, with no more than what its backfill may use.

    Raises SkippedError, ForgeError, InvalidError, ForbiddenError.
    """
    if row.forge_key is None:
        return Source(row.url, host_access(row))
    asked_at = timezone.now()
    with repository_api(row.backfill.owner, row.forge_key) as (api, token):
        found = find_repository(api, row.forge_key)
    if found is None:
        raise SkippedError("GitHub has no such repository for this service's credential.")
    if not found.owner_id == row.backfill.owner_id == row.organization.github_owner_id:
        raise SkippedError(
            f"It belongs to {found.owner} at GitHub, which is not this organisation's owner."
        )
    if found.kilobytes * _KIBIBYTES > settings.BACKFILL.max_bytes:
        raise SkippedError(
            f"It has {found.kilobytes // _KIBIBYTES:,} MiB, which is more than a repository may "
            "(AETERNA_BACKFILL_MAX_BYTES)."
        )
    if found.name != row.name:
        BackfillRepository.objects.filter(pk=row.pk, claim=row.claim).update(name=found.name)
    url = f"{settings.BACKFILL.github_url}/{found.full_name}"
    return Source(url, github_access(token), found, asked_at)
