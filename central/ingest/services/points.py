"""Points of a run's chunks in the vector store: written and deleted."""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar
from uuid import UUID

from central.corpus.embeddings import unpack_terms
from central.corpus.rows import ChunkPoint
from central.ingest.models import IndexRun
from central.ingest.services.trees import TREE_NUMBER
from indexer.records.vectors import Vector
from indexer.store.base import Collection, Point, VectorStore

_Item = TypeVar("_Item")


def slices(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Split `items` into lists of `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


WithVector = tuple[ChunkPoint, Vector]


_POINTS = 64  # points a call: the embedded store holds the interpreter while it takes them
_DELETIONS = 256  # points a call
_YIELD_SECONDS = 0.0005  # lets a waiting request have the interpreter at once


def write_points(
    *, store: VectorStore, collection: Collection, run_id: UUID, items: Iterable[WithVector]
) -> None:
    """Upsert the points of chunks, in slices. Raises StoreError."""
    for part in slices(items, _POINTS):
        store.upsert(collection, [_point(run_id, item, vector) for item, vector in part])
        time.sleep(_YIELD_SECONDS)


def uploaded_files(run: IndexRun) -> int:
    """Return the number of files and removals in the run's batches."""
    return sum(run.batch_set.filter(number__gt=TREE_NUMBER).values_list("files", flat=True))


def delete_points(*, store: VectorStore, collection: Collection, ids: Sequence[UUID]) -> None:
    """Delete points in slices."""
    for part in slices(ids, _DELETIONS):
        store.delete(collection, part)
        time.sleep(_YIELD_SECONDS)


def _point(run_id: UUID, item: ChunkPoint, vector: Vector) -> Point:
    return Point(
        id=UUID(bytes=item.point),
        run=run_id,
        path=item.path,
        language=item.language,
        type=item.type,
        vector=vector,
        terms=unpack_terms(item.terms),
    )
