"""Which points could reach a score, as a condition that an index of term ids answers.

The idea of MaxScore (Turtle & Flood 1995): a term adds at most its weight in the query times
MAX_TERM_WEIGHT, so points that hold too few of the query's terms need not be read.
"""

from collections.abc import Sequence

from indexer.records import TermVector
from indexer.store.schema import MAX_TERM_WEIGHT

TermWeights = Sequence[tuple[int, float]]

# So many terms, the heaviest, are told apart; a condition of more takes longer than it saves.
_TOLD_APART = 10
_ROUNDING = 0.999  # scores are sums of float32


def by_weight(terms: TermVector) -> TermWeights:
    """A query's (term id, weight), the heaviest first."""
    pairs = zip(terms.ids.tolist(), terms.weights.tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def most(weights: TermWeights) -> float:
    """What no point's score is above."""
    return MAX_TERM_WEIGHT * sum(weight for _, weight in weights)


def any_of(weights: TermWeights) -> str:
    """A tsquery for the points that hold any of the terms."""
    return "|".join(str(term) for term, _ in weights)


def reaching(weights: TermWeights, score: float) -> str:
    """A tsquery for the points that could reach `score`, and few others.

    `weights` as `by_weight` gives them. The lighter terms that are not told apart count as held by
    every point.
    """
    heavy, light = weights[:_TOLD_APART], weights[_TOLD_APART:]
    needed = _ROUNDING * score / MAX_TERM_WEIGHT - sum(weight for _, weight in light)
    if needed <= 0:
        return any_of(weights)
    return _holding(heavy, needed)


def _holding(weights: TermWeights, needed: float) -> str:
    """Terms whose weights are `needed` together: with the heaviest and the rest of it, or without.

    Empty where all together are not enough.
    """
    if sum(weight for _, weight in weights) < needed:
        return ""
    (term, weight), rest = weights[0], weights[1:]
    alone = weight >= needed
    with_it = str(term) if alone else f"{term}&({_holding(rest, needed - weight)})"
    without = _holding(rest, needed)
    return f"{with_it}|{without}" if without else with_it
