"""Why a hit is where it is: its ranks, and the effects of the rules on its score. Pure.

The sum of the summands times all factors is the score before it is scaled to the best. Only hybrid
and symbol searches have rules. Ranks count from 1; None if the list lacks the hit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class Effect:
    """What a rule of the ranking did to a result's score."""

    rule: Annotated[str, "Such as definition, coverage, tests"]
    adds: Annotated[float, "To the score; the best by similarity and words is 1.0"] = 0.0
    times: Annotated[float, "The factor on the score; 1.0: none"] = 1.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a result is where it is."""

    semantic_rank: Annotated[int | None, "Its place by similarity among what it was ranked with"]
    lexical_rank: Annotated[int | None, "Its place by words"]
    rules: list[Effect]


def summands(names: Iterable[str], values: Iterable[float]) -> Iterator[Effect]:
    """Return the effects of the rules that add something."""
    return (Effect(name, adds=value) for name, value in zip(names, values, strict=True) if value)


def factors(names: Iterable[str], values: Iterable[float]) -> Iterator[Effect]:
    """Return the effects of the rules whose factor is not 1.0."""
    return (
        Effect(name, times=value) for name, value in zip(names, values, strict=True) if value != 1.0
    )
