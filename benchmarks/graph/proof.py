"""What a calibration is worth on pairs that it was not fitted to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.graph.fitting import average_precision, fit
from benchmarks.graph.pairs import Pair
from central.knowledge.calibration import LINKED, Calibration, weight_by

_SAMPLES: Final = 2_000
_SPLITS: Final = 60


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of the pairs that are linked: how many, how many are right, and of all related ones."""

    documents: int
    pairs: int
    related: int
    linked: int
    right: int

    @property
    def precision(self) -> float:
        """0.0 where nothing is linked."""
        return self.right / self.linked if self.linked else 0.0

    @property
    def recall(self) -> float:
        """Of the related pairs that were judged."""
        return self.right / self.related if self.related else 0.0


def judge(pairs: Sequence[Pair], calibration: Calibration, *, least: float = LINKED) -> Judgement:
    """Links are the pairs whose weight is `least` or more."""
    linked = [pair for pair in pairs if weight_by(calibration, pair.found) >= least]
    return Judgement(
        documents=len({pair.document for pair in pairs}),
        pairs=len(pairs),
        related=sum(pair.is_related for pair in pairs),
        linked=len(linked),
        right=sum(pair.is_related for pair in linked),
    )


def interval(
    pairs: Sequence[Pair], calibration: Calibration, of: Callable[[Judgement], float]
) -> tuple[float, float]:
    """95 %, from bootstrap samples of documents: the pairs of one depend on each other."""
    by_document: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_document.setdefault(pair.document, []).append(pair)
    groups = [judge(group, calibration) for group in by_document.values()]
    random = np.random.default_rng(31)
    values = []
    for _ in range(_SAMPLES):
        chosen = [groups[n] for n in random.integers(0, len(groups), len(groups))]
        total = Judgement(
            len(chosen),
            sum(one.pairs for one in chosen),
            sum(one.related for one in chosen),
            sum(one.linked for one in chosen),
            sum(one.right for one in chosen),
        )
        values.append(of(total))
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def ranking(pairs: Sequence[Pair], score: Callable[[Pair], float]) -> float:
    """Average precision over all pairs."""
    return average_precision(map(score, pairs), [pair.is_related for pair in pairs])


def over_random_halves(pairs: Sequence[Pair]) -> list[Judgement]:
    """Fitted on one random half of the documents and judged on the other, many times."""
    documents = max(pair.document for pair in pairs) + 1
    found = []
    for seed in range(_SPLITS):
        fitted = set(np.random.default_rng(seed).permutation(documents)[: documents // 2].tolist())
        calibration = fit([pair for pair in pairs if pair.document in fitted])
        found.append(judge([p for p in pairs if p.document not in fitted], calibration))
    return found
