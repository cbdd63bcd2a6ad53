"""Why a result is where it is, as records."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """What a rule did to a score: `adds` to it (the best base score is 1.0), or `times` it."""

    rule: str
    adds: float = 0.0
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Places in the lists by similarity and by words, from 1, None where it is in none; the rules.

    The sum of what the rules add, times their factors, is the score before it is scaled to the
    best. Only hybrid and symbol searches have rules.
    """

    semantic_rank: int | None
    lexical_rank: int | None
    rules: list[Effect]
