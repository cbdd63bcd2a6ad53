"""Fits a rising curve to outcomes and measures how well estimates of a probability hold. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

BINS = 10

Outcome = tuple[float, bool]  # a signal or an estimate, and whether the answer was right


class Block(NamedTuple):
    """Outcomes from `low` to `high`, and the share of them that was right."""

    low: float
    high: float
    outcomes: int
    right: float

    @property
    def share(self) -> float:
        """Of right ones, 0 to 1."""
        return self.right / self.outcomes


def fit(signals: Iterable[Outcome]) -> list[Block]:
    """Return the isotonic regression of the outcomes by pooling adjacent violators, ascending."""
    blocks: list[Block] = []
    for signal, is_right in sorted(signals):
        blocks.append(Block(signal, signal, 1, float(is_right)))
        while len(blocks) > 1 and _violates(*blocks[-2:]):
            after, before = blocks.pop(), blocks.pop()
            outcomes = before.outcomes + after.outcomes
            blocks.append(Block(before.low, after.high, outcomes, before.right + after.right))
    return blocks


def _violates(before: Block, after: Block) -> bool:
    return before.high == after.low or before.share >= after.share


def bins(outcomes: Sequence[Outcome]) -> Iterator[tuple[int, float, float]]:
    """Yield number, mean estimate and share of right ones of each tenth of 0 to 1 with any."""
    for place in range(BINS):
        own = [one for one in outcomes if min(BINS - 1, int(one[0] * BINS)) == place]
        if own:
            estimates, rights = zip(*own, strict=True)
            yield len(own), sum(estimates) / len(own), sum(rights) / len(own)


def calibration_error(outcomes: Sequence[Outcome]) -> float:
    """Return the expected calibration error: the mean distance of estimate and share by bins."""
    return sum(count * abs(mean - share) for count, mean, share in bins(outcomes)) / len(outcomes)


def brier(outcomes: Sequence[Outcome]) -> float:
    """Return the mean squared error of the estimates."""
    return sum((estimate - is_right) ** 2 for estimate, is_right in outcomes) / len(outcomes)
