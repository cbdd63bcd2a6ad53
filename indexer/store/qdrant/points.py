"""Conversion of points, filters and queries to Qdrant's types, and of its answers back."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np
from qdrant_client import models
from qdrant_client.conversions import common_types as types

from indexer.records.vectors import TermVector, Vector
from indexer.store.base import (
    Hit,
    HybridHits,
    HybridQuery,
    Point,
    PointFilter,
    has_terms,
    is_nonzero,
    top_hits,
)
from indexer.store.schema import (
    DENSE,
    MAX_TERM_WEIGHT,
    TERMS,
    normalized_prefix,
    path_prefixes,
)

# The search over int8 copies returns this many times the limit, at least so many, for exact scores.
_OVERSAMPLING: Final = 3.0
_LEAST_SCORED_AGAIN: Final = 100
# The size of the HNSW beam (ef). Recall@10 was 0.9985 at 60,000 points
# (docs/how-to/vector-stores.md).
_SEARCH_WIDTH: Final = 128
_ROUNDING: Final = 0.01  # vectors are of unit length within UNIT_TOLERANCE, sums are float32
# Maps numeric ids, which no client of this project creates, to UUIDs of an unused version.
_NUMBERS: Final = (2**64 - 1) << 64


def repository_key(repository: int) -> str:
    """Return a point's repository key: a keyword, because Qdrant's tenants are keywords."""
    return str(repository)


def stored_point(repository: int, point: Point) -> models.PointStruct:
    """Convert a point, with its repository's key; without terms it has no sparse vector."""
    vectors: dict[str, models.Vector] = {DENSE: point.vector.tolist()}
    if has_terms(point.terms):
        vectors[TERMS] = _sparse(point.terms)
    return models.PointStruct(
        id=str(point.id),
        vector=vectors,
        payload={
            "repository": repository_key(repository),
            "run": str(point.run),
            "language": point.language,
            "type": point.type,
            "dirs": path_prefixes(point.path),
        },
    )


def point_filter(
    repositories: Iterable[int], wanted: PointFilter | None = None, ids: Sequence[UUID] = ()
) -> models.Filter:
    """Filter points by `repositories` (empty: no point), `wanted` and, if present, `ids`."""
    must: list[models.Condition] = [
        _any("repository", [repository_key(number) for number in repositories])
    ]
    if ids:
        must.append(models.HasIdCondition(has_id=point_ids(ids)))
    if wanted and wanted.languages:
        must.append(_any("language", wanted.languages))
    if wanted and wanted.types:
        must.append(_any("type", wanted.types))
    if wanted and (prefix := normalized_prefix(wanted.path)):
        must.append(models.FieldCondition(key="dirs", match=models.MatchValue(value=prefix)))
    if wanted and wanted.files:
        must.append(_any("dirs", wanted.files))
    return models.Filter(must=must)


def point_ids(ids: Iterable[UUID]) -> list[models.ExtendedPointId]:
    """Convert ids to the client's type."""
    return [point.int - _NUMBERS if point.int >= _NUMBERS else str(point) for point in ids]


def point_uuid(point: models.ExtendedPointId) -> UUID:
    """Convert an id of the server."""
    return UUID(int=_NUMBERS + point) if isinstance(point, int) else UUID(str(point))


def run_of(record: models.Record) -> UUID:
    """Return a point's run; the nil UUID if the payload has none (a foreign client's point)."""
    try:
        return UUID(str((record.payload or {}).get("run")))
    except ValueError:
        return UUID(int=0)


def requests_of(
    repositories: Sequence[int], queries: Sequence[HybridQuery]
) -> list[models.QueryRequest]:
    """Build the requests for both parts of every query, for `hits_from_response`."""
    requests: list[models.QueryRequest] = []
    for query in queries:
        allowed = point_filter(repositories, query.filter)
        if is_nonzero(query.vector):
            requests.append(
                models.QueryRequest(
                    query=query.vector.tolist(),
                    using=DENSE,
                    limit=query.limit,
                    filter=allowed,
                    params=_search_parameters(query.limit),
                )
            )
        if has_terms(query.terms):
            requests.append(
                models.QueryRequest(
                    query=_sparse(query.terms), using=TERMS, limit=query.limit, filter=allowed
                )
            )
    return requests


class ServerHits(NamedTuple):
    """HybridHits in the server's types: parsing an id costs more than the rest of a hit."""

    dense: list[models.ScoredPoint]
    lexical: list[models.ScoredPoint]

    def hits(self, query: HybridQuery) -> HybridHits:
        """Return the best of each list without impossible scores.

        Clients may write to a collection directly: their points must not rank above all others, and
        NaN, which has no order, would also break the merge with other collections.
        """
        most = MAX_TERM_WEIGHT * float(query.terms.weights.sum()) if query.terms else 0.0
        return HybridHits(
            _best(self.dense, -1.0, 1.0, query.limit), _best(self.lexical, 0.0, most, query.limit)
        )


def hits_from_response(
    queries: Sequence[HybridQuery], responses: Sequence[types.QueryResponse]
) -> list[ServerHits]:
    """Read the answers to `requests_of` the same queries."""
    answers = iter(responses)
    return [
        ServerHits(
            next(answers).points if is_nonzero(query.vector) else [],
            next(answers).points if has_terms(query.terms) else [],
        )
        for query in queries
    ]


def dense_vector(record: models.Record) -> "Vector | None":
    """Return the dense vector of a record that was read with vectors, if it has one."""
    vectors = record.vector if isinstance(record.vector, dict) else {}
    return np.array(vectors[DENSE], dtype=np.float32) if DENSE in vectors else None


def _search_parameters(limit: int) -> models.SearchParams:
    scored_again = max(_OVERSAMPLING * limit, _LEAST_SCORED_AGAIN)
    return models.SearchParams(
        hnsw_ef=max(_SEARCH_WIDTH, limit),
        quantization=models.QuantizationSearchParams(
            rescore=True, oversampling=scored_again / limit
        ),
    )


def _sparse(terms: TermVector) -> models.SparseVector:
    return models.SparseVector(indices=terms.ids.tolist(), values=terms.weights.tolist())


def _best(points: list[models.ScoredPoint], least: float, most: float, limit: int) -> list[Hit]:
    least, most = least - _ROUNDING, most * (1 + _ROUNDING)
    sound = [point for point in points if least <= point.score <= most]  # NaN is neither
    best = sorted(sound, key=lambda point: (-point.score, str(point.id)))[:limit]
    return top_hits([Hit(point_uuid(point.id), point.score) for point in best], limit)


def _any(key: str, values: Iterable[str]) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))
