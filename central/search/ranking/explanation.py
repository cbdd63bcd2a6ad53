"""Why a hit is where it is: its ranks, and the effects of the rules on its score. Pure.

The sum of the summands times all factors is the score before it is scaled to the best. Only hybrid
and symbol searches have rules. Ranks count from 1; None if the list lacks the hit.
"""

from collections.abc import Iterable, Iterator

from aeterna_code_search.contract.search import Effect


def summands(names: Iterable[str], values: Iterable[float]) -> Iterator[Effect]:
    """Return the effects of the rules that add something."""
    return (Effect(name, adds=value) for name, value in zip(names, values, strict=True) if value)


def factors(names: Iterable[str], values: Iterable[float]) -> Iterator[Effect]:
    """Return the effects of the rules whose factor is not 1.0."""
    return (
        Effect(name, times=value) for name, value in zip(names, values, strict=True) if value != 1.0
    )
