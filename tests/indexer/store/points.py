"""Points, collections and queries for the store tests, and the answers by brute force."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID, uuid4

import numpy as np

from indexer.records.vectors import EmbedderSpec, TermVector, Vector
from indexer.store.base import Collection, Hit, HybridQuery, Point, PointFilter, top_hits

DIMENSIONS = 8
SMALL = EmbedderSpec("builtin", "test-small", DIMENSIONS)
OTHER = EmbedderSpec("openai", "org/test-other", DIMENSIONS)

# Edge keeps 16 bits a dimension, pgvector half-precision floats; both sum terms in float32.
TOLERANCE = 2e-3


def a_collection(
    organization: str | None = None, repository: int = 1, embedder: EmbedderSpec = SMALL
) -> Collection:
    return Collection(
        organization=organization or f"org{uuid4().hex[:12]}",
        project=f"project-{repository}",
        repository=repository,
        embedder=embedder,
    )


def unit(*values: float) -> Vector:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(values)] = values
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


def terms(weights: Mapping[int, float]) -> TermVector:
    ids = sorted(weights)
    return TermVector(
        ids=np.array(ids, dtype=np.uint32),
        weights=np.array([weights[term] for term in ids], dtype=np.float32),
    )


def a_point(
    *,
    id: UUID | None = None,
    run: UUID | None = None,
    path: str = "src/main.py",
    language: str = "python",
    type: str = "function",
    vector: "Vector | None" = None,
    weights: Mapping[int, float] | None = None,
) -> Point:
    return Point(
        id=id or uuid4(),
        run=run or uuid4(),
        path=path,
        language=language,
        type=type,
        vector=unit(1.0) if vector is None else vector,
        terms=terms({7: 1.0} if weights is None else weights),
    )


def dense_query(
    vector: Vector, *, limit: int = 10, filter: PointFilter | None = None
) -> HybridQuery:
    return HybridQuery(vector=vector, terms=None, limit=limit, filter=filter or PointFilter())


def lexical_query(weights: Mapping[int, float], *, limit: int = 10) -> HybridQuery:
    return HybridQuery(vector=None, terms=terms(weights), limit=limit)


def ids(hits: Iterable[Hit]) -> list[UUID]:
    return [hit.id for hit in hits]


def brute_force_dense(points: Sequence[Point], vector: Vector) -> list[Hit]:
    return top_hits([Hit(point.id, float(point.vector @ vector)) for point in points], len(points))


def brute_force_lexical(points: Sequence[Point], query: TermVector) -> list[Hit]:
    asked = dict(zip(query.ids.tolist(), query.weights.tolist(), strict=True))
    hits = []
    for point in points:
        held = dict(zip(point.terms.ids.tolist(), point.terms.weights.tolist(), strict=True))
        if shared := asked.keys() & held.keys():
            hits.append(Hit(point.id, sum(asked[term] * held[term] for term in shared)))
    return top_hits(hits, len(hits))
