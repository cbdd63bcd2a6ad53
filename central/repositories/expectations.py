"""Which repositories should have an index: those that have one, and those that are announced.

An announced repository is a row from the start, so that `visible_repositories` alone decides who
learns of it. Answers lack it until it is indexed, unless an administrator says that they do not.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When

from central.repositories.models import (
    ExpectedBy,
    ForgeStatement,
    IndexedBy,
    IndexProblem,
    InstalledRepository,
    Repository,
    Visibility,
)
from central.repositories.statements import keep_visibility

# The rule in two forms, tested to agree: for the ORM, and in SQL on a Repository `r`.
IS_EXPECTED = Q(generation__gt=0) | ~Q(expected_by="") & Q(not_expected_at=None)
EXPECTED = "(r.generation > 0 OR r.expected_by <> '' AND r.not_expected_at IS NULL)"


# Of the organisation's limit of repositories. What a list has announced takes no place until it is
# indexed, or a long list would shut out the repositories that have a workflow.
TAKES_PLACE = Q(generation__gt=0) | Q(expected_by=ExpectedBy.RUN)


@dataclass(frozen=True, slots=True)
class ListedRepository:
    """A repository as the forge lists it; `forge_key` None: only its address is known."""

    name: str
    forge_key: int | None = None
    visibility: str = Visibility.PRIVATE
    default_branch: str = ""


def is_expected(repository: Repository) -> bool:
    """Return what IS_EXPECTED says of one."""
    announced = bool(repository.expected_by) and repository.not_expected_at is None
    return repository.generation > 0 or announced


def takes_place(repository: Repository) -> bool:
    """Return what TAKES_PLACE says of one."""
    return repository.generation > 0 or repository.expected_by == ExpectedBy.RUN


def without_index(repositories: QuerySet[Repository]) -> QuerySet[Repository]:
    """Select those that should have an index and have none."""
    return repositories.filter(IS_EXPECTED, generation=0)


def expect_repositories(
    listed: Iterable[ListedRepository],
    *,
    organization_id: int,
    by: ExpectedBy,
    asked_at: datetime | None,
) -> None:
    """Create a row for each that has none; known ones without an index are expected again.

    The forge was asked at `asked_at`; what it signed since is newer, and if that is None, whatever
    it signed with a time. An installation takes over nothing that others announced. A name that is
    another repository's here stays that one's until a run says more. Rows are made up to the limit
    of repositories. Needs the organisation's lock.
    """
    # The pages of a list shift while it is read: it may have a repository twice.
    by_id = {row.forge_key or row.name: row for row in listed}
    rows = list({row.name: row for row in by_id.values()}.values())
    here = Repository.objects.filter(organization_id=organization_id, retired_at=None)
    known_ids = Q(forge_key__in=[row.forge_key for row in rows if row.forge_key is not None])
    known_names = Q(forge_key=None, name__in=[row.name for row in rows if row.forge_key is None])
    known = here.filter(known_ids | known_names, generation=0)
    (known.filter(expected_by="") if by is ExpectedBy.INSTALLATION else known).update(
        expected_by=by
    )
    ids = set(here.exclude(forge_key=None).values_list("forge_key", flat=True))
    names = set(here.values_list("name", flat=True))
    new = [row for row in rows if row.name not in names and row.forge_key not in ids]
    statements = _statements(new, organization_id, asked_at)
    room = max(0, settings.REPOSITORIES_MAX - len(names))
    Repository.objects.bulk_create(
        [
            _announced(row, statements.get(row.forge_key), organization_id=organization_id, by=by)
            for row in new
            if not _is_removed(statements.get(row.forge_key), asked_at)
        ][:room],
        batch_size=500,
    )


def _announced(
    row: ListedRepository,
    signed: ForgeStatement | None,
    *,
    organization_id: int,
    by: ExpectedBy,
) -> Repository:
    return Repository(
        organization_id=organization_id,
        name=row.name,
        forge_key=row.forge_key,
        # Without a branch, the first run says it.
        tracked_ref=f"refs/heads/{row.default_branch}" if row.default_branch else "",
        visibility=signed.visibility if signed else Visibility.PRIVATE,
        visibility_at=signed.visibility_at if signed else None,
        indexed_by=IndexedBy.CENTRAL if by is ExpectedBy.BACKFILL else IndexedBy.ACTION,
        expected_by=by,
    )


def _is_removed(signed: ForgeStatement | None, asked_at: datetime | None) -> bool:
    removed_at = signed.removed_at if signed else None
    return removed_at is not None and (asked_at is None or removed_at > asked_at)


def _statements(
    rows: list[ListedRepository], organization_id: int, asked_at: datetime | None
) -> dict[int | None, ForgeStatement]:
    """Keep what the forge listed unless it signed more since; return what holds, by id, locked."""
    ids = {row.forge_key: row.visibility for row in rows if row.forge_key is not None}
    for forge_key, visibility in ids.items():
        keep_visibility(
            organization_id=organization_id,
            forge_key=forge_key,
            visibility=visibility,
            at=asked_at,
        )
    found = ForgeStatement.objects.filter(organization_id=organization_id, forge_key__in=ids)
    return {statement.forge_key: statement for statement in found}


def note_no_index(repository: Repository, *, error: str) -> None:
    """Note why one without an index still has none: this service could not clone or index it.

    A backfill has chosen it, so it is announced again if it was not.
    """
    Repository.objects.filter(pk=repository.pk, generation=0).exclude(
        trouble=IndexProblem.FAILED
    ).update(
        trouble=IndexProblem.NOT_CLONED,
        trouble_detail=error,
        trouble_commit="",
        expected_by=ExpectedBy.BACKFILL,
    )


def expect_no_longer(repositories: QuerySet[Repository]) -> int:
    """Take back the announcement of those that have no index; return of how many.

    What an installation lists is then expected by that, if the organisation wants it.
    """
    listed = InstalledRepository.objects.filter(
        organization=OuterRef("organization"),
        forge_key=OuterRef("forge_key"),
        organization__expects_installed=True,
    )
    by = Case(When(Exists(listed), then=Value(ExpectedBy.INSTALLATION)), default=Value(""))
    return repositories.filter(generation=0).update(expected_by=by)
