"""From the cosine of two embeddings to a weight that means the same for every embedder. Pure.

A weight of 0.85 or more is right at least four times in five (`python -m benchmarks graph` fits
the maps on one half of labelled pairs and proves them on the other).
"""

from typing import Final

import numpy as np

LINKED: Final = 0.85  # a weight above it is a link

# Embedder without dimensions → (cosine, weight), ascending; in between it is linear.
_MAPS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "builtin/aeterna-static-1": ((0.0, 0.0), (0.45, 0.5), (0.62, 0.85), (1.0, 1.0)),
}


def weight_of(cosine: float, *, embedder: str) -> float:
    """0.0-1.0, monotone; the cosine itself for an embedder that is not calibrated."""
    points = _MAPS.get(embedder.rpartition("/")[0])
    if points is None:
        return min(1.0, max(0.0, cosine))
    cosines, weights = zip(*points, strict=True)
    return float(np.interp(cosine, cosines, weights))


def least_cosine(*, embedder: str) -> float:
    """The cosine from which on a weight is LINKED."""
    points = _MAPS.get(embedder.rpartition("/")[0])
    if points is None:
        return LINKED
    cosines, weights = zip(*points, strict=True)
    return float(np.interp(LINKED, weights, cosines))
