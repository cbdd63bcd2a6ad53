"""Reconcile: the vector store compared with the rows, repaired, and reported."""

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import timezone

from central.corpus.backends import collection_of, vector_store
from central.corpus.dump import dump_lines
from central.corpus.models import Chunk, Embedding
from central.db import sql
from central.errors import NotFoundError
from central.ingest.services.points import delete_points
from central.ingest.services.salvage import keep_uploads, left_uploads
from central.ingest.services.stale_points import (
    chunks_of,
    excess_points,
    former_collections,
    live_runs,
    restore_points,
    slices,
)
from central.repositories.models import Repository
from indexer.store.base import Collection, VectorStore

_UNUSED: Final = (
    "FROM {embedding} e WHERE e.repository_id = %(repository)s AND e.used_at < %(before)s"
    " AND NOT EXISTS (SELECT 1 FROM {chunk} c JOIN {repository} r"
    " ON r.id = c.repository_id WHERE c.repository_id = e.repository_id"
    " AND c.digest = e.digest AND r.embedder = e.embedder)"
)
_DELETE_UNUSED, _FIND_UNUSED = (
    sql(
        f"{verb} {{unused}}",
        unused=_UNUSED,
        embedding=Embedding,
        chunk=Chunk,
        repository=Repository,
    )
    for verb in ("DELETE", "SELECT 1")
)


@dataclass(frozen=True, slots=True)
class Difference:
    """What is derived from a repository: parts that are still to be made, and what differs."""

    due: int
    differing: int


class Comparison(Protocol):
    """Compares what an app derives from a repository; with `repair` also puts it right."""

    def __call__(self, repository: Repository, *, repair: bool) -> Difference: ...


_comparisons: list[Comparison] = []


def register_comparison(comparison: Comparison) -> None:
    """Have what an app above this one derives compared, too."""
    _comparisons.append(comparison)


@dataclass(frozen=True, slots=True)
class RepositoryReport:
    """One repository: points that are missing, of those the ones without a vector, and excess.

    `due` and `differing` are of what is derived from it: the knowledge graph.
    """

    organization: str
    repository: str
    chunks: int
    missing: int
    unrepairable: int
    excess: int
    due: int
    differing: int


@dataclass(frozen=True, slots=True)
class Report:
    """All repositories, and the rows that nothing needs any more."""

    repositories: list[RepositoryReport]
    embeddings: int
    uploads: int

    @property
    def is_clean(self) -> bool:
        """Whether the store holds exactly what the chunks name, and nothing derived differs."""
        return not any(row.missing or row.excess or row.differing for row in self.repositories)


def reconcile(*, repair: bool) -> Report:
    """Compare; with `repair` also put right. May run beside applies. Raises StoreError."""
    store = vector_store()
    ordered = Repository.objects.filter(retired_at=None).order_by("organization__slug", "name")
    keys = list(ordered.values_list("pk", flat=True))
    rows = [_reconcile_repository(store, key, repair) for key in keys]
    return Report(
        repositories=[row for row in rows if row is not None],
        embeddings=sum(_retire_embeddings(key, repair) for key in keys),
        uploads=_retire_uploads(repair),
    )


def _reconcile_repository(
    store: VectorStore, repository_id: int, repair: bool
) -> RepositoryReport | None:
    """Compare one; None if it is gone. It is read here: the ones before it may take minutes."""
    repositories = Repository.objects.filter(retired_at=None).select_related("organization")
    repository = repositories.filter(pk=repository_id).first()
    if repository is None:
        return None
    current = collection_of(repository)
    stored, named, excess = _compare(store, repository, current)
    lacking = _still_lacking(store, repository, current, named - stored)
    unrepairable = 0
    if repair:
        delete_points(store=store, collection=current, ids=excess)
        unrepairable = restore_points(store, repository, current, lacking)
    former = sum(
        _empty(store, repository, collection, repair)
        for collection in former_collections(repository, current)
    )
    derived = [compare(repository, repair=repair) for compare in _comparisons]
    return RepositoryReport(
        organization=repository.organization.slug,
        repository=repository.name,
        chunks=len(named),
        missing=len(lacking),
        unrepairable=unrepairable,
        excess=len(excess) + former,
        due=sum(one.due for one in derived),
        differing=sum(one.differing for one in derived),
    )


def _compare(
    store: VectorStore, repository: Repository, collection: Collection
) -> tuple[set[UUID], set[UUID], list[UUID]]:
    """The points that the collection holds, those that chunks name, and those in excess.

    Read in this order: a point that is seen and belongs to no live run has its chunk committed.
    """
    stored = dict(store.points(collection))
    live = live_runs(repository)
    named = set(chunks_of(repository).values_list("point", flat=True).iterator())
    excess = [point for point, run in stored.items() if point not in named and run not in live]
    return set(stored), named, excess


def _still_lacking(
    store: VectorStore, repository: Repository, collection: Collection, suspects: set[UUID]
) -> list[UUID]:
    """Ask again: a run may have been applied since the store was listed."""
    lacking: list[UUID] = []
    for ids in slices(sorted(suspects)):
        named = set(chunks_of(repository).filter(point__in=ids).values_list("point", flat=True))
        lacking.extend(sorted(named - store.existing(collection, sorted(named))))
    return lacking


def _empty(store: VectorStore, repository: Repository, collection: Collection, repair: bool) -> int:
    """Delete what nothing needs; the collection may have become the current one meanwhile."""
    excess = excess_points(store, repository, collection)
    if repair:
        delete_points(store=store, collection=collection, ids=excess)
    return len(excess)


def _retire_embeddings(repository_id: int, repair: bool) -> int:
    """Embeddings that no chunk names and no run asked for in EMBEDDING_RETENTION_DAYS."""
    before = timezone.now() - timedelta(days=settings.EMBEDDING_RETENTION_DAYS)
    with connection.cursor() as cursor:
        cursor.execute(
            _DELETE_UNUSED if repair else _FIND_UNUSED,
            {"repository": repository_id, "before": before},
        )
        return int(cursor.rowcount)


def _retire_uploads(repair: bool) -> int:
    count = left_uploads().count()
    if repair:
        keep_uploads(seconds=math.inf)
    return count


def dump_of(*, organization: str, repository: str) -> list[str]:
    """The dump of a repository. Raises NotFoundError, StoreError."""
    found = (
        Repository.objects.select_related("organization")
        .filter(
            organization__slug=organization.removeprefix("org-"), name=repository, retired_at=None
        )
        .first()
    )
    if found is None:
        raise NotFoundError(
            f"There is no repository '{repository}' in an organisation '{organization}'.",
            code="repository_not_found",
        )
    return dump_lines(found)
