"""One list out of a dense and a lexical one. Pure; scores are raw on the way in.

A candidate that is in one list only gets the floor of the other: what a hit just below the
list's end would have had.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import sqrt
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

RANK_CONSTANT = 60  # Cormack, Clarke & Büttcher 2009


def floor(scores: Mapping[Key, float], *, limit: int) -> float:
    """The score of what a list of `limit` left out: its lowest; 0.0 where it left nothing out."""
    return min(scores.values()) if len(scores) >= limit else 0.0


def fuse_normalised(
    dense: Mapping[Key, float],
    lexical: Mapping[Key, float],
    *,
    dense_weight: float,
    lexical_floor: float = 0.0,
) -> dict[Key, float]:
    """Weighted sum of standard scores over the union of both lists."""
    keys = list(dict.fromkeys((*dense, *lexical)))
    dense_floor = min(dense.values(), default=0.0)
    d = _standard([dense.get(key, dense_floor) for key in keys])
    b = _standard([lexical.get(key, lexical_floor) for key in keys])
    if not dense or not lexical:
        dense_weight = 1.0 if dense else 0.0
    return {
        key: dense_weight * x + (1.0 - dense_weight) * y
        for key, x, y in zip(keys, d, b, strict=True)
    }


def reciprocal_ranks(keys: Iterable[Key]) -> dict[Key, float]:
    """1 / (60 + rank) of each key, the first having rank 1."""
    return {key: 1.0 / (RANK_CONSTANT + rank) for rank, key in enumerate(keys, 1)}


def merge_lists(lists: Sequence[Mapping[Key, float]]) -> dict[Key, float]:
    """One dense list out of one per embedder, in descending order.

    Cosines of different models cannot be compared: with several lists, ranks replace them.
    """
    filled = [scores for scores in lists if scores]
    if len(filled) <= 1:
        return dict(filled[0]) if filled else {}
    merged = {key: value for scores in filled for key, value in reciprocal_ranks(scores).items()}
    return dict(sorted(merged.items(), key=lambda item: -item[1]))


def _standard(values: Sequence[float]) -> list[float]:
    """Deviations from the mean in standard deviations; zeros where all values are equal."""
    if not values:
        return []
    mean = sum(values) / len(values)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    if deviation < 1e-12:
        return [0.0] * len(values)
    return [(value - mean) / deviation for value in values]
