"""Similarity as the tool's specification defines it: `exp(-distance)`.

The distance is Euclid's, of embeddings of length 1, and so a function of the cosine that the
service answers: `sqrt(2 - 2 · cosine)`.
"""

from math import exp, log, sqrt
from typing import Final

_ROUNDED: Final = 0.0001  # the service answers cosines with four digits


def similarity_of(cosine: float) -> float:
    """0.243 (not alike) to 1.0 (the same direction) for a cosine of 0.0 to 1.0."""
    return exp(-sqrt(max(0.0, 2.0 - 2.0 * cosine)))


def least_cosine(threshold: float) -> float | None:
    """The cosine below which no similarity reaches `threshold`; None: every cosine reaches it."""
    if threshold <= similarity_of(0.0):
        return None
    return max(0.0, 1.0 - log(threshold) ** 2 / 2.0 - _ROUNDED)
