"""The order of commits for the words of a query. Pure.

`score = (unit of the fused lists + Σ weight · boost) · Π (1 - weight · penalty)`, as of chunks
(central.search.ranking.scoring). WEIGHTS holds every weight by name.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

DENSE: Final = "dense"
COVERAGE: Final = "coverage"
REVERT: Final = "revert"
MERGE: Final = "merge"
# Chosen with `python -m benchmarks history`, whose questions differ little from 0.1 to 0.3.
WEIGHTS: Final[Mapping[str, float]] = {
    DENSE: 0.2,  # the share of meaning in the fused score
    COVERAGE: 0.8,  # of the query's words, rare ones counting more, that a message has
    REVERT: 0.4,  # unless the query asks for reverts
    MERGE: 0.4,  # unless the query asks for merges
}
_ASKS: Final = {
    REVERT: frozenset({"revert", "reverts", "reverted", "rollback"}),
    MERGE: frozenset({"merge", "merges", "merged"}),
}
Numbers = NDArray[np.float32]
Flags = NDArray[np.bool_]


class Signals(NamedTuple):
    """What is known of each commit, as arrays of equal length; `cosines` 0 without a vector."""

    ids: NDArray[np.int64]
    times: NDArray[np.int64]
    repositories: NDArray[np.int64]
    bm25: Numbers
    cosines: Numbers
    coverage: Numbers  # share of the query's terms by their weight, from 0 to 1
    is_merge: Flags
    is_revert: Flags

    def only(self, kept: Flags) -> "Signals":
        """Return those of some commits."""
        columns: list[Any] = [own[kept] for own in self]
        return Signals(*columns)


def rank(
    signals: Signals, *, words: frozenset[str], weights: Mapping[str, float] = WEIGHTS
) -> tuple[NDArray[np.int64], Numbers]:
    """Return the places of the commits, best first, and their scores from 0 to 1.

    `words` are the query's, in lower case. Equal ones are ordered by time, the newest first.
    """
    if not len(signals.ids):
        return np.empty(0, np.int64), np.empty(0, np.float32)
    has_words, has_meaning = bool(signals.bm25.any()), bool(signals.cosines.any())
    dense = weights[DENSE] if has_words and has_meaning else float(has_meaning)
    fused = dense * _standard(signals.cosines) + (1.0 - dense) * _standard(signals.bm25)
    scores = _unit(fused) + weights[COVERAGE] * signals.coverage
    for name, flags in ((REVERT, signals.is_revert), (MERGE, signals.is_merge)):
        if words.isdisjoint(_ASKS[name]):
            scores = scores * np.where(flags, 1.0 - weights[name], 1.0)
    scores = np.round(scores, 6)
    order = np.lexsort((-signals.ids, -signals.times, -scores))
    best = float(scores[order[0]])
    shown = scores[order] / best if best > 0 else np.zeros(len(order))
    return order, shown.astype(np.float32)


def _standard(values: Numbers) -> NDArray[np.float64]:
    """Return deviations from the mean in standard deviations; zeros if all are equal."""
    deviation = float(values.std())
    if deviation < 1e-9:
        return np.zeros(len(values))
    result: NDArray[np.float64] = (values - values.mean()) / deviation
    return result


def _unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = values.min(), values.max()
    if high - low < 1e-12:
        return np.ones(len(values))
    result: NDArray[np.float64] = (values - low) / (high - low)
    return result
