"""What the first ten hits of a query are worth, by definitions and by files. Pure.

Differences have bootstrap intervals.
"""

from collections.abc import Sequence
from math import log2
from typing import NamedTuple

import numpy as np

from benchmarks.retrieval.index import Place
from benchmarks.retrieval.queries import Query

DEPTH = 10
_RESAMPLES = 2_000
_SEED = 20_261_122


class Scores(NamedTuple):
    """Of one query, or means over several.

    `mrr`, `ndcg` and `recall` are of definitions, `file_ndcg` of files. `files` is the
    number of different files among the hits, `in_project` the share of hits in the right project.
    """

    mrr: float
    ndcg: float
    recall: float
    file_ndcg: float
    files: float
    in_project: float


class Difference(NamedTuple):
    """A mean difference and its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def is_certain(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0.0 or self.high < 0.0


def judge(query: Query, hits: Sequence[Place], files: Sequence[Place] | None = None) -> Scores:
    """Score the first ten hits; a hit counts for targets that no hit before it counted for.

    `files` are the hits by which files are judged, if they are others: one for each file.

    MRR and recall are over what is expected; NDCG's gains are 2 for that and 1 for `also`. A file
    is right if it holds a target, and gains 1 where its first hit is.
    """
    left = list(query.targets)
    wanted = sum(target.gain == 2 for target in left)
    first, gained, found = 0, 0.0, 0
    for rank, hit in enumerate(hits[:DEPTH], 1):
        met = [
            target
            for target in left
            if hit.project == query.repository and target.is_hit(hit.path, hit.start, hit.end)
        ]
        if not met:
            continue
        best = max(target.gain for target in met)
        gained += best / log2(rank + 1)
        found += sum(target.gain == 2 for target in met)
        if best == 2 and not first:
            first = rank
        left = [target for target in left if target not in met]
    ideal = _ideal(sorted((target.gain for target in query.targets), reverse=True))
    return Scores(
        1.0 / first if first else 0.0,
        gained / ideal,
        found / min(wanted, DEPTH),
        *_by_file(query, (hits if files is None else files)[:DEPTH]),
    )


def _by_file(query: Query, hits: Sequence[Place]) -> tuple[float, float, float]:
    right = {(query.repository, target.path) for target in query.targets}
    first: dict[tuple[str, str], int] = {}
    for rank, hit in enumerate(hits, 1):
        first.setdefault((hit.project, hit.path), rank)
    gained = sum(1.0 / log2(rank + 1) for file, rank in first.items() if file in right)
    own = sum(hit.project == query.repository for hit in hits)
    return gained / _ideal([1] * len(right)), float(len(first)), own / len(hits) if hits else 0.0


def _ideal(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:DEPTH], 1))


def mean(scores: Sequence[Scores]) -> Scores:
    """Return the means; zeros of nothing."""
    if not scores:
        return Scores(*[0.0] * len(Scores._fields))
    return Scores(*(float(value) for value in np.mean(np.array(scores), axis=0)))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> Difference:
    """Compare in pairs, `ours` less `theirs`. The same queries give the same interval."""
    deltas = np.array(ours) - np.array(theirs)
    if not deltas.any():
        return Difference(0.0, 0.0, 0.0)
    drawn = np.random.default_rng(_SEED).integers(0, len(deltas), (_RESAMPLES, len(deltas)))
    low, high = np.percentile(deltas[drawn].mean(axis=1), [2.5, 97.5])
    return Difference(float(deltas.mean()), float(low), float(high))
