"""Cosines of hits that no dense list gave one: their vectors are fetched from the store."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from central.search.retrieval import Asked
from central.search.selectors import LiveChunk
from indexer.store.base import Collection, VectorStore


def missing_cosines(
    store: VectorStore,
    rows: Iterable[LiveChunk],
    *,
    queries: Sequence[Asked],
    collections: Mapping[int, Collection],
) -> dict[int, float]:
    """Chunk id → the highest cosine with any of `queries`; none where there is no vector.

    `collections` by repository. Raises StoreError.
    """
    chunks: dict[int, dict[UUID, int]] = {}
    for row in rows:
        chunks.setdefault(row.repository, {})[row.point] = row.id
    cosines: dict[int, float] = {}
    for repository, wanted in chunks.items():
        collection = collections[repository]
        asked = [
            query.vectors[collection.embedder]
            for query in queries
            if collection.embedder in query.vectors
        ]
        if asked:
            for point, vector in store.vectors(collection, list(wanted)).items():
                cosines[wanted[point]] = max(float(vector @ other) for other in asked)
    return cosines


def clipped(cosine: float | None) -> float | None:
    """A cosine as it is shown: 0.0-1.0."""
    return None if cosine is None else round(max(0.0, min(1.0, cosine)), 4)
