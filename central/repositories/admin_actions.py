"""Actions of administrators on a repository: request a re-index, pause, resume, purge.

Each is atomic and writes an entry to the audit log; `actor` is of central.tenancy.audit.
"""

from django.db import transaction
from django.utils import timezone

from central.repositories.models import Repository
from central.repositories.services import retire_repository
from central.tenancy.audit import record
from central.tenancy.models import Organization


@transaction.atomic
def request_reindex(repository: Repository, *, actor: str) -> bool:
    """Have the next run process every file; False if that is requested already.

    The request stays until a run that opened after it is applied.
    """
    done = Repository.objects.filter(
        pk=repository.pk, retired_at=None, reindex_requested_at=None
    ).update(reindex_requested_at=timezone.now())
    return _recorded(done, repository, actor, "repository.reindex_requested")


@transaction.atomic
def pause(repository: Repository, *, actor: str) -> bool:
    """Refuse new runs; the index stays searchable. False if it is paused already."""
    done = Repository.objects.filter(pk=repository.pk, retired_at=None, paused=False).update(
        paused=True
    )
    return _recorded(done, repository, actor, "repository.paused")


@transaction.atomic
def resume(repository: Repository, *, actor: str) -> bool:
    """Accept runs again; False if it is not paused."""
    done = Repository.objects.filter(pk=repository.pk, retired_at=None, paused=True).update(
        paused=False
    )
    return _recorded(done, repository, actor, "repository.resumed")


@transaction.atomic
def purge(repository: Repository, *, actor: str) -> bool:
    """Retire it; the worker deletes its data. False if it is retired already."""
    Organization.all_objects.select_for_update(no_key=True).get(pk=repository.organization_id)
    if not Repository.objects.filter(pk=repository.pk, retired_at=None).exists():
        return False
    retire_repository(repository)
    return _recorded(1, repository, actor, "repository.purged")


def _recorded(done: int, repository: Repository, actor: str, action: str) -> bool:
    if done:
        record(
            actor=actor,
            action=action,
            target=repository.name,
            organization=repository.organization,
        )
    return bool(done)
