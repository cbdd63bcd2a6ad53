"""Points made again from chunks and embeddings, and those that no chunk names."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar
from uuid import UUID

from django.db.models import QuerySet

from central.corpus.embeddings import stored_vectors, unpack_terms
from central.corpus.models import Chunk
from central.corpus.rows import REPAIRED
from central.ingest.models import IndexRun
from central.repositories.models import Repository
from central.repositories.states import LIVE_RUN_STATES
from indexer.records.vectors import EmbedderSpec, Vector
from indexer.store.base import Collection, Point, VectorStore

Lender = Callable[[Collection, Sequence[UUID]], Mapping[UUID, Vector]]
_Item = TypeVar("_Item")

_ROWS = 500  # chunks a statement, points a call


def slices(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """As many at a time as one statement and one call take."""
    rest = iter(items)
    while part := list(islice(rest, _ROWS)):
        yield part


def chunks_of(repository: Repository) -> QuerySet[Chunk]:
    """All chunks of the repository."""
    return Chunk.objects.filter(repository=repository)


def live_runs(repository: Repository) -> set[UUID]:
    """Runs whose points may come before their chunks."""
    live = IndexRun.objects.filter(repository=repository, state__in=LIVE_RUN_STATES)
    return set(live.values_list("pk", flat=True))


def restore_points(
    store: VectorStore,
    repository: Repository,
    collection: Collection,
    points: Sequence[UUID],
    *,
    lend: Lender | None = None,
) -> int:
    """Write those of `points` that chunks name; returns how many have a vector nowhere.

    `lend` is asked for vectors that PostgreSQL lacks. Raises StoreError.
    """
    lacking = 0
    for ids in slices(points):
        chunks = _chunks(repository, ids)
        vectors = _vectors(repository, collection, chunks)
        if lend and len(vectors) < len(chunks):
            asked = [chunk.point for chunk in chunks if chunk.point not in vectors]
            vectors.update(lend(collection, asked))
        made = [_point(chunk, vectors[chunk.point]) for chunk in chunks if chunk.point in vectors]
        store.upsert(collection, made)
        lacking += len(chunks) - len(made)
    return lacking


def excess_points(store: VectorStore, repository: Repository, collection: Collection) -> list[UUID]:
    """Points of the collection that no chunk names and no live run may be about to name.

    Asked in this order: a point that is seen and belongs to no live run has its chunk committed.
    """
    excess: list[UUID] = []
    for seen in slices(store.points(collection)):
        live = live_runs(repository)
        ids = [point for point, _ in seen]
        named = set(chunks_of(repository).filter(point__in=ids).values_list("point", flat=True))
        excess += [point for point, run in seen if point not in named and run not in live]
    return excess


def former_collections(repository: Repository, current: Collection) -> list[Collection]:
    """Collections of the embedders that the repository was indexed with before."""
    embedders = IndexRun.objects.filter(repository=repository).values_list("embedder", flat=True)
    return [
        Collection(current.organization, current.project, current.repository, spec)
        for spec in map(EmbedderSpec.parse, sorted(set(embedders.order_by().distinct())))
        if spec != current.embedder
    ]


def _chunks(repository: Repository, points: Sequence[UUID]) -> list[Chunk]:
    chunks = chunks_of(repository).filter(point__in=points).select_related("file")
    return list(chunks.only("point", "digest", "terms", "type", "file__path", "file__language"))


def _vectors(
    repository: Repository, collection: Collection, chunks: Sequence[Chunk]
) -> dict[UUID, Vector]:
    found = stored_vectors(
        repositories=Repository.objects.filter(pk=repository.pk),
        embedder=str(collection.embedder),
        digests={bytes(chunk.digest) for chunk in chunks},
    )
    return {
        chunk.point: found[digest] for chunk in chunks if (digest := bytes(chunk.digest)) in found
    }


def _point(chunk: Chunk, vector: Vector) -> Point:
    return Point(
        id=chunk.point,
        run=REPAIRED,
        path=chunk.file.path,
        language=chunk.file.language,
        type=chunk.type,
        vector=vector,
        terms=unpack_terms(bytes(chunk.terms)),
    )
