"""Payload filters for Qdrant Edge, in the form that its planner answers fastest.

Edge answers a condition in `must` from its payload index, point by point in no useful order: best
if few points match. It checks the same condition as `must_not` + `except` while it reads the
vectors in order: best if many match (100,000 points, all 20 repositories requested: 6.5 ms instead
of 11; with a language filter, 9 ms instead of 38).
The two are equivalent because every point has each field.
"""

from collections.abc import Iterable

import qdrant_edge as qdrant

from indexer.store.base import PointFilter
from indexer.store.edge.shard import Shard
from indexer.store.schema import normalized_prefix

_SELECTIVE_SHARE = 0.5


def point_filter(
    shard: Shard, repositories: Iterable[int] | None, wanted: PointFilter
) -> qdrant.Filter | None:
    """Filter points by `wanted` and `repositories` (empty: no point; None: all repositories)."""
    allowed: dict[str, list[int] | list[str]] = {}
    if repositories is not None:
        allowed["repository"] = [*repositories]
    if wanted.languages:
        allowed["language"] = list(wanted.languages)
    if wanted.types:
        allowed["type"] = list(wanted.types)
    must = _selective(shard, allowed)
    if prefix := normalized_prefix(wanted.path):
        must.append(qdrant.FieldCondition("dirs", qdrant.MatchValue(prefix)))
    if wanted.files:
        must.append(_any("dirs", list(wanted.files)))
    if not allowed and not must:
        return None
    return qdrant.Filter(
        must=[*must],
        must_not=[
            qdrant.FieldCondition(key, qdrant.MatchExcept(values))
            for key, values in allowed.items()
        ],
    )


def _selective(
    shard: Shard, allowed: dict[str, list[int] | list[str]]
) -> list[qdrant.FieldCondition]:
    """Move the narrowest of `allowed` into a condition for `must`, if it leaves few points."""
    shares = {key: shard.share(_any(key, values)) for key, values in allowed.items()}
    narrowest = min(shares, key=lambda key: shares[key], default=None)
    if narrowest is None or shares[narrowest] >= _SELECTIVE_SHARE:
        return []
    return [_any(narrowest, allowed.pop(narrowest))]


def repository_points(repository: int, *conditions: qdrant.HasIdCondition) -> qdrant.Filter:
    """Filter points of one repository that also meet `conditions`."""
    return qdrant.Filter(must=[_any("repository", [repository]), *conditions])


def _any(key: str, values: list[int] | list[str]) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(key, qdrant.MatchAny(values))
