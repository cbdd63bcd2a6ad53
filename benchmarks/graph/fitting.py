"""A calibration fitted to labelled pairs: logistic regression, then points of a monotone map.

The weight LINKED stands where the pairs of the fitted half are right nine times in ten, so that
pairs of other documents keep four in five. Deterministic.
"""

from collections.abc import Iterable, Sequence
from math import log, log1p
from typing import Any, Final

import numpy as np

from benchmarks.graph.pairs import Pair, labels_of
from central.knowledge.calibration import LINKED, Calibration

Floats = np.ndarray[Any, np.dtype[np.float64]]

LEAST_COSINE: Final = 0.45  # all that the product could link above it was labelled
_PRECISION: Final = 0.9  # of the fitted half, at LINKED and above
_LEAST_PAIRS: Final = 15
_RIDGE: Final = 0.1
_STEPS: Final = 60
_SHARES: Final = (0.1, 0.25, 0.5)  # related pairs, where the points below LINKED are


def fit(pairs: Sequence[Pair]) -> Calibration:
    """The calibration of these pairs."""
    features = np.array(
        [
            (p.found.cosine, log1p(p.found.shared), log1p(p.found.named), p.found.is_test)
            for p in pairs
        ]
    )
    bias, cosine, *others = _regression(features, labels_of(pairs))
    shared, named, test = (round(float(one / cosine), 2) for one in others)
    draft = Calibration(shared, named, test, LEAST_COSINE, ())
    linked = round(_least_score(pairs, draft), 3)
    highest = round(max(draft.score(pair.found) for pair in pairs), 3)
    lower = [
        (round(float((log(share / (1 - share)) - bias) / cosine), 3), share) for share in _SHARES
    ]
    return draft._replace(points=((0.0, 0.0), *lower, (linked, LINKED), (highest, 1.0)))


def _regression(features: Floats, labels: Floats) -> Floats:
    """Bias and coefficients by Newton's method, with a small ridge."""
    rows = np.column_stack([np.ones(len(features)), features])
    ridge = np.diag([0.0, *[_RIDGE] * features.shape[1]])
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-rows @ weights))
        hessian = rows.T @ (rows * (likely * (1 - likely))[:, None]) + ridge
        weights -= np.linalg.solve(hessian, rows.T @ (likely - labels) + ridge @ weights)
    return weights


def _least_score(pairs: Sequence[Pair], draft: Calibration) -> float:
    """From which on the share of related pairs is _PRECISION."""
    ranked = sorted(
        ((draft.score(pair.found), pair.is_related) for pair in pairs), key=lambda one: -one[0]
    )
    right, least = 0, ranked[0][0]
    for count, (score, is_related) in enumerate(ranked, start=1):
        right += is_related
        if count >= _LEAST_PAIRS and right / count >= _PRECISION:
            least = score
    return least


def average_precision(scores: Iterable[float], labels: Sequence[bool]) -> float:
    """The mean of the precision at each related pair's rank (Manning et al., 2008, section 8.4)."""
    ranked = [label for _, label in sorted(zip(scores, labels, strict=True), key=lambda x: -x[0])]
    right = np.cumsum(ranked)
    return float((right / np.arange(1, len(ranked) + 1))[np.array(ranked)].mean())
