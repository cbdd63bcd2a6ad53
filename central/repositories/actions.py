"""Actions of administrators on a repository: re-index, pause, resume, correct, expect, purge.

Each is atomic and writes an entry to the audit log; `actor` is of central.tenancy.audit.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When
from django.utils import timezone

from central.errors import InvalidError, NotFoundError
from central.repositories.expectations import IS_EXPECTED
from central.repositories.models import ExpectedBy, Repository
from central.repositories.services import retire_repository
from central.tenancy.audit import changed_fields, record
from central.tenancy.models import Organization


def repositories_named(organization: Organization, names: Collection[str]) -> list[Repository]:
    """Return these repositories. Raises NotFoundError if one of them is not there."""
    here = Repository.objects.filter(organization=organization, retired_at=None, name__in=names)
    found = list(here.select_related("organization"))
    if unknown := set(names) - {repository.name for repository in found}:
        raise NotFoundError(
            f"{organization} has no repository {', '.join(sorted(unknown))}. Nothing was changed.",
            code="repository_not_found",
        )
    return found


@transaction.atomic
def request_reindex(repository: Repository, *, actor: str) -> bool:
    """Have the next run process every file; False if that is requested already.

    The request stays until a run that opened after it is applied.
    """
    rows = _same(repository).filter(reindex_requested_at=None)
    done = rows.update(reindex_requested_at=timezone.now())
    return _recorded(done, repository, actor, "repository.reindex_requested")


@transaction.atomic
def pause(repository: Repository, *, actor: str) -> bool:
    """Refuse new runs; the index stays searchable. False if it is paused already."""
    done = _same(repository).filter(paused=False).update(paused=True)
    return _recorded(done, repository, actor, "repository.paused")


@transaction.atomic
def resume(repository: Repository, *, actor: str) -> bool:
    """Accept runs again; False if it is not paused."""
    done = _same(repository).filter(paused=True).update(paused=False)
    return _recorded(done, repository, actor, "repository.resumed")


@transaction.atomic
def correct(repository: Repository, *, actor: str, **facts: str) -> bool:
    """Set `tracked_ref`, `visibility` or `web_url` by hand; False if nothing changes.

    The next webhook or signed run that knows better replaces them. Raises InvalidError.
    """
    if not facts.get("tracked_ref", "refs/").startswith("refs/"):
        raise InvalidError("Give the full name of a ref, such as refs/heads/main.")
    found = _same(repository).select_for_update(no_key=True).first()
    changes = changed_fields(found, facts) if found else {}
    return _recorded(len(changes), repository, actor, "repository.changed", changes)


@transaction.atomic
def expect_no_index(repository: Repository, *, actor: str) -> bool:
    """Let answers lack nothing while it has no index; False if it has one, or is not expected.

    It is expected again when it is indexed.
    """
    rows = _same(repository).filter(IS_EXPECTED, generation=0)
    done = rows.update(not_expected_at=timezone.now())
    return _recorded(done, repository, actor, "repository.not_expected")


@transaction.atomic
def expect_index(repository: Repository, *, actor: str) -> bool:
    """Let answers lack it until it has an index; False if they do already."""
    by = Case(When(expected_by="", then=Value(ExpectedBy.RUN)), default=F("expected_by"))
    rows = _same(repository).exclude(IS_EXPECTED)
    done = rows.update(not_expected_at=None, expected_by=by)
    return _recorded(done, repository, actor, "repository.expected")


@transaction.atomic
def purge(repository: Repository, *, actor: str) -> bool:
    """Retire it; the worker deletes its data. False if it is retired already."""
    Organization.all_objects.select_for_update(no_key=True).get(pk=repository.organization_id)
    if not _same(repository).exists():
        return False
    retire_repository(repository)
    return _recorded(1, repository, actor, "repository.purged")


def _same(repository: Repository) -> QuerySet[Repository]:
    """Return the row, unless it is retired."""
    return Repository.objects.filter(pk=repository.pk, retired_at=None)


def _recorded(
    done: int,
    repository: Repository,
    actor: str,
    action: str,
    detail: Mapping[str, Any] | None = None,
) -> bool:
    if done:
        record(
            actor=actor,
            action=action,
            target=repository.name,
            organization=repository.organization,
            detail=detail,
        )
    return bool(done)
