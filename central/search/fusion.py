"""Several scored lists as one: of embedders, and of the dense and the lexical search. Pure.

Lists map ids to scores; those that ranks are taken from are in descending order.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import dist, sqrt

_RANK_CONSTANT = 60  # Cormack, Clarke & Büttcher 2009
_NO_DEVIATION = 1e-9  # of the largest value: a list's unit must not matter


def floor(scores: Mapping[int, float], *, limit: int) -> float:
    """Return the score of what a list of `limit` lacks: its lowest; 0.0 if it lacks nothing."""
    return min(scores.values()) if len(scores) >= limit else 0.0


def reciprocal_ranks(keys: Iterable[int]) -> dict[int, float]:
    """1 / (60 + rank) of each key, the first having rank 1."""
    return {key: 1.0 / (_RANK_CONSTANT + rank) for rank, key in enumerate(keys, 1)}


def merge_lists(lists: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Merge the dense lists of several embedders into one, in descending order.

    Cosines of different models cannot be compared: with several lists, ranks replace them.
    """
    filled = [scores for scores in lists if scores]
    if len(filled) <= 1:
        return dict(filled[0]) if filled else {}
    merged = {key: value for scores in filled for key, value in reciprocal_ranks(scores).items()}
    return dict(sorted(merged.items(), key=lambda item: -item[1]))


def keep_highest(cosines: dict[int, float], more: Mapping[int, float]) -> None:
    """Add `more` to `cosines`; the higher cosine stays."""
    for key, score in more.items():
        if score > cosines.get(key, -1.0):
            cosines[key] = score


def fuse_normalised(
    dense: Mapping[int, float],
    lexical: Mapping[int, float],
    *,
    dense_weight: float,
    lexical_floor: float = 0.0,
) -> dict[int, float]:
    """Return the weighted sums of standard scores over the union of both lists."""
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


def add_standard(
    scores: Mapping[int, float], more: Mapping[int, float], *, weight: float
) -> dict[int, float]:
    """Add the weighted standard scores of a third list; what it lacks is average in it."""
    if not more or not weight:
        return dict(scores)
    average = sum(more.values()) / len(more)
    standard = _standard([more.get(key, average) for key in scores])
    return {key: scores[key] + weight * x for key, x in zip(scores, standard, strict=True)}


def _standard(values: Sequence[float]) -> list[float]:
    """Return deviations from the mean in standard deviations; zeros if all are equal."""
    if not values:
        return []
    mean = sum(values) / len(values)
    deviation = dist(values, [mean] * len(values)) / sqrt(len(values))
    if deviation <= _NO_DEVIATION * max(map(abs, values)):
        return [0.0] * len(values)
    return [(value - mean) / deviation for value in values]
