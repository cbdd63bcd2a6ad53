"""Why a hit is where it is: its ranks, and the effects of the rules on its score. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a rule on a score: a summand (the best base score is 1.0) or a factor."""

    rule: str
    adds: float = 0.0
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Ranks in the dense and the lexical list, from 1, None if absent; effects of the rules.

    The sum of the summands times all factors is the score before it is scaled to the best. Only
    hybrid and symbol searches have rules.
    """

    semantic_rank: int | None
    lexical_rank: int | None
    rules: list[Effect]


def summands(names: Iterable[str], values: Iterable[float]) -> Iterator[Effect]:
    """Return the effects of the rules that add something."""
    return (Effect(name, adds=value) for name, value in zip(names, values, strict=True) if value)


def factors(names: Iterable[str], values: Iterable[float]) -> Iterator[Effect]:
    """Return the effects of the rules whose factor is not 1.0."""
    return (
        Effect(name, times=value) for name, value in zip(names, values, strict=True) if value != 1.0
    )
