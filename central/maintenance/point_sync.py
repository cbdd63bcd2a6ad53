"""Synchronisation of the vector store with the chunks of PostgreSQL, in bounded portions.

Reconcile, migration and restore use it. Points that chunks name and the store does not have are
written; points that no chunk names are deleted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from central.corpus.backends import collection_of
from central.corpus.branches.tables import sql_of_both
from central.corpus.models import Chunk
from central.corpus.points import delete_points, slices, stored_chunks
from central.db import fetch_rows
from central.ingest.models import IndexRun
from central.maintenance.repository_deletion import collections_of
from central.repositories.models import Repository
from central.repositories.states import LIVE_RUN_STATES
from indexer.records.vectors import Vector
from indexer.store.base import Collection, VectorStore

VectorSource = Callable[[Collection, Sequence[UUID]], Mapping[UUID, Vector]]

_ROWS = 500  # chunks a statement, points a call
_POINTS: Final = sql_of_both(
    "SELECT point FROM {schema}{chunk} WHERE repository_id = %s", chunk=Chunk
)
_NAMED: Final = sql_of_both(
    "SELECT point FROM {schema}{chunk} WHERE repository_id = %s AND point = ANY(%s::uuid[])",
    chunk=Chunk,
)


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
    places = [collection_of(repository)]
    if embedders := sorted(_embedders_of_others(repository)):
        places += (collection_of(repository, embedder, of_others=True) for embedder in embedders)
    for place in places:
        named = _points_of(place)
        for ids in slices(named, _ROWS):
            missing = _confirm_missing(store, place, ids)
            result.chunks += len(ids)
            result.missing += len(missing)
            if repair:
                result.unrepairable += _restore(store, place, missing, fetch_vectors)
            advance(len(ids))
    # A former collection may have become the current one: points that chunks name stay.
    for place in {*places, *collections_of(repository)}:
        stale = stale_points(store, repository, place)
        result.excess += len(stale)
        if repair:
            delete_points(store, place, stale)
    return result


def _embedders_of_others(repository: Repository) -> set[str]:
    """Return the embedder of other branches: the one that the last of them was indexed with."""
    branches = repository.branch_set.exclude(embedder="").order_by("-indexed_at")
    return set(branches.values_list("embedder", flat=True)[:1])


def stale_points(store: VectorStore, repository: Repository, collection: Collection) -> list[UUID]:
    """Return points that no chunk names and no live run may be about to name.

    Read in this order: a point that is seen and belongs to no live run has its chunk committed.
    """
    stale: list[UUID] = []
    for seen in slices(store.points(collection), _ROWS):
        live = _live_runs(repository)
        named = _named(collection, [point for point, _ in seen])
        stale += [point for point, run in seen if point not in named and run not in live]
    return stale


def _points_of(collection: Collection) -> list[UUID]:
    """Return the points that chunks name: of default branches, or of what only others have."""
    statement = _POINTS[collection.repository < 0]
    return [point for (point,) in fetch_rows(statement, [abs(collection.repository)])]


def _named(collection: Collection, points: Sequence[UUID]) -> set[UUID]:
    statement = _NAMED[collection.repository < 0]
    rows = fetch_rows(statement, [abs(collection.repository), list(points)])
    return {point for (point,) in rows}


def _live_runs(repository: Repository) -> set[UUID]:
    """Return runs whose points may be written before their chunks."""
    live = IndexRun.objects.filter(repository=repository, state__in=LIVE_RUN_STATES)
    return set(live.values_list("pk", flat=True))


def _confirm_missing(
    store: VectorStore, collection: Collection, points: Sequence[UUID]
) -> list[UUID]:
    """Return missing points that chunks still name: a run may have been applied since."""
    missing = set(points) - store.existing(collection, points)
    if not missing:
        return []
    named = sorted(_named(collection, sorted(missing)))
    return sorted(set(named) - store.existing(collection, named))


def _restore(
    store: VectorStore,
    collection: Collection,
    points: Sequence[UUID],
    fetch_vectors: VectorSource | None,
) -> int:
    """Write those of `points` that chunks name; returns the number without a vector."""
    chunks = stored_chunks(collection, points)
    fetched: Mapping[UUID, Vector] = {}
    without = [chunk.point for chunk in chunks if chunk.vector is None]
    if fetch_vectors and without:
        fetched = fetch_vectors(collection, without)
    made = [point for chunk in chunks if (point := chunk.at(fetched.get(chunk.point))) is not None]
    if made:
        store.upsert(collection, made)
    return len(chunks) - len(made)
