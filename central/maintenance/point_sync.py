"""Synchronisation of the vector store with the chunks of PostgreSQL, in bounded portions.

Reconcile, migration and restore use it. Points that chunks name and the store does not have are
written; points that no chunk names are deleted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from central.corpus.backends import collection_of
from central.corpus.embeddings import stored_vectors, unpack_terms, unpack_vector
from central.corpus.models import Chunk
from central.corpus.rows import REPAIR_RUN
from central.ingest.models import IndexRun
from central.ingest.services.vectors import delete_points, slices
from central.maintenance.repository_deletion import collections_of
from central.repositories.models import Repository
from central.repositories.states import LIVE_RUN_STATES
from indexer.records.vectors import Vector
from indexer.store.base import Collection, Point, VectorStore

VectorSource = Callable[[Collection, Sequence[UUID]], Mapping[UUID, Vector]]

_ROWS = 500  # chunks a statement, points a call


@dataclass(slots=True)
class PointReport:
    """One repository: missing points, of those the ones without a vector, and excess points."""

    organization: str
    repository: str
    chunks: int = 0
    missing: int = 0
    unrepairable: int = 0
    excess: int = 0


def sync_repository(
    store: VectorStore,
    repository: Repository,
    *,
    repair: bool = True,
    fetch_vectors: VectorSource | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> PointReport:
    """Compare the points of a repository with its chunks and, with `repair`, make them equal.

    `fetch_vectors` gives vectors that PostgreSQL does not have. `advance` gets the number of chunks
    of each portion. Runs may be applied at the same time. Raises StoreError.
    """
    result = PointReport(repository.organization.slug, repository.name)
    collection = collection_of(repository)
    points = _chunks_of(repository).order_by().values_list("point", flat=True)
    for ids in slices(points.iterator(), _ROWS):
        missing = _confirm_missing(store, repository, collection, ids)
        result.chunks += len(ids)
        result.missing += len(missing)
        if repair:
            result.unrepairable += _restore(store, repository, collection, missing, fetch_vectors)
        advance(len(ids))
    # A former collection may have become the current one: points that chunks name stay.
    for place in {collection, *collections_of(repository)}:
        stale = stale_points(store, repository, place)
        result.excess += len(stale)
        if repair:
            delete_points(store, place, stale)
    return result


def stale_points(store: VectorStore, repository: Repository, collection: Collection) -> list[UUID]:
    """Return points that no chunk names and no live run may be about to name.

    Read in this order: a point that is seen and belongs to no live run has its chunk committed.
    """
    stale: list[UUID] = []
    for seen in slices(store.points(collection), _ROWS):
        live = _live_runs(repository)
        named = _named(repository, [point for point, _ in seen])
        stale += [point for point, run in seen if point not in named and run not in live]
    return stale


def _chunks_of(repository: Repository) -> QuerySet[Chunk]:
    return Chunk.objects.filter(repository=repository)


def _named(repository: Repository, points: Sequence[UUID]) -> set[UUID]:
    return set(_chunks_of(repository).filter(point__in=points).values_list("point", flat=True))


def _live_runs(repository: Repository) -> set[UUID]:
    """Return runs whose points may be written before their chunks."""
    live = IndexRun.objects.filter(repository=repository, state__in=LIVE_RUN_STATES)
    return set(live.values_list("pk", flat=True))


def _confirm_missing(
    store: VectorStore, repository: Repository, collection: Collection, points: Sequence[UUID]
) -> list[UUID]:
    """Return missing points that chunks still name: a run may have been applied since."""
    missing = set(points) - store.existing(collection, points)
    if not missing:
        return []
    named = sorted(_named(repository, sorted(missing)))
    return sorted(set(named) - store.existing(collection, named))


def _restore(
    store: VectorStore,
    repository: Repository,
    collection: Collection,
    points: Sequence[UUID],
    fetch_vectors: VectorSource | None,
) -> int:
    """Write those of `points` that chunks name; returns the number without a vector."""
    if not points:
        return 0
    chunks = list(
        _chunks_of(repository)
        .filter(point__in=points)
        .select_related("file")
        .only("point", "digest", "terms", "type", "file__path", "file__language")
    )
    stored = stored_vectors(
        repositories=Repository.objects.filter(pk=repository.pk),
        embedder=str(collection.embedder),
        digests={bytes(chunk.digest) for chunk in chunks},
    )
    found = ((chunk.point, stored.get(bytes(chunk.digest))) for chunk in chunks)
    vectors = {point: unpack_vector(vector) for point, vector in found if vector is not None}
    if fetch_vectors and len(vectors) < len(chunks):
        vectors.update(
            fetch_vectors(collection, [c.point for c in chunks if c.point not in vectors])
        )
    made = [_point(chunk, vectors[chunk.point]) for chunk in chunks if chunk.point in vectors]
    store.upsert(collection, made)
    return len(chunks) - len(made)


def _point(chunk: Chunk, vector: Vector) -> Point:
    return Point(
        id=chunk.point,
        run=REPAIR_RUN,
        path=chunk.file.path,
        language=chunk.file.language,
        type=chunk.type,
        vector=vector,
        terms=unpack_terms(bytes(chunk.terms)),
    )
