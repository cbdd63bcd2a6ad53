"""From a resemblance to a weight that means the same for every embedder. Pure.

A pair whose weight is LINKED or more is right at least four times in five. `_CALIBRATIONS` is what
`python -m benchmarks graph` fits on one half of the documents of benchmarks/graph/documents.toml
and proves on the other; its README has the figures, decision 33 the reasons.
"""

from collections.abc import Mapping
from math import log1p
from typing import Final, NamedTuple

import numpy as np

from central.knowledge.resemblance import Resemblance

LINKED: Final = 0.85  # a weight above it is a link
_UNPROVEN: Final = 0.8  # the highest weight of what the benchmark did not judge


class Calibration(NamedTuple):
    """score = cosine + shared * ln(1 + words) + named * ln(1 + words) + test, then `points`.

    `points` are (score, weight), ascending; in between it is linear. Below `min_cosine` nothing
    is a link.
    """

    shared: float
    named: float
    test: float
    min_cosine: float
    points: tuple[tuple[float, float], ...]

    def score(self, found: Resemblance) -> float:
        """Grows with the cosine and with each word."""
        return (
            found.cosine
            + self.shared * log1p(found.shared)
            + self.named * log1p(found.named)
            + self.test * found.is_test
        )


# By embedder without its dimensions.
_CALIBRATIONS: Final[Mapping[str, Calibration]] = {
    "builtin/aeterna-static-1": Calibration(
        shared=0.28,
        named=0.1,
        test=-0.18,
        min_cosine=0.45,
        points=(
            (0.0, 0.0),
            (0.625, 0.1),
            (0.802, 0.25),
            (0.979, 0.5),
            (1.125, LINKED),
            (1.432, 1.0),
        ),
    ),
}


def calibration_of(embedder: str) -> Calibration | None:
    """None for an embedder that is not calibrated."""
    return _CALIBRATIONS.get(embedder.rpartition("/")[0])


def weight_of(found: Resemblance, *, embedder: str) -> float:
    """0.0-1.0, monotone; the cosine itself for an embedder that is not calibrated."""
    calibration = calibration_of(embedder)
    if calibration is None:
        return min(1.0, max(0.0, found.cosine))
    return weight_by(calibration, found)


def weight_by(calibration: Calibration, found: Resemblance) -> float:
    """0.0-1.0 by a calibration."""
    scores, weights = zip(*calibration.points, strict=True)
    weight = float(np.interp(calibration.score(found), scores, weights))
    return weight if found.cosine >= calibration.min_cosine else min(weight, _UNPROVEN)


def min_cosine(*, embedder: str) -> float:
    """The cosine below which no weight is above LINKED."""
    calibration = calibration_of(embedder)
    return LINKED if calibration is None else calibration.min_cosine
