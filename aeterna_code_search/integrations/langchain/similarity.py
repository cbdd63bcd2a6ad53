"""Similarity as the tool's specification defines it: `exp(-distance)`.

The distance is Euclidean, of unit vectors, and so a function of the service's cosine:
`sqrt(2 - 2 · cosine)`.
"""

from math import exp, log, sqrt
from typing import Final

_ROUNDED: Final = 0.0001  # the service rounds cosines to four digits


def similarity_of(cosine: float) -> float:
    """Return 0.243 (unrelated) to 1.0 (same direction) for a cosine of 0.0 to 1.0."""
    return exp(-sqrt(max(0.0, 2.0 - 2.0 * cosine)))


def min_cosine(threshold: float) -> float | None:
    """Return the smallest cosine whose similarity reaches `threshold`; None if all do."""
    if threshold <= similarity_of(0.0):
        return None
    return max(0.0, 1.0 - log(threshold) ** 2 / 2.0 - _ROUNDED)
