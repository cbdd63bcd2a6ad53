"""Earning and spending points. A point is worth a cent and lives for two years."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from acme_common.flags import FlagSet
from acme_common.money import Money
from acme_common.retry import retrying

LIFETIME = timedelta(days=730)


@dataclass(slots=True)
class Grant:
    points: int
    earned_on: date


def points_for(purchase: Money, customer_id: str, flags: FlagSet) -> int:
    """One point for each full euro, two for customers in the double-points trial."""
    factor = 2 if flags.is_enabled("double-points", customer_id) else 1
    return purchase.minor // 100 * factor


def spend(grants: list[Grant], points: int, today: date) -> bool:
    """Take the points that expire first. Changes nothing and returns False when there are too few."""
    live = sorted((g for g in grants if g.earned_on + LIFETIME > today), key=lambda g: g.earned_on)
    if sum(grant.points for grant in live) < points:
        return False
    for grant in live:
        taken = min(points, grant.points)
        grant.points -= taken
        points -= taken
    return True


@retrying()
def announce(publish: Callable[[str, int], None], customer_id: str, balance: int) -> None:
    """Tell the other services about a customer's new balance."""
    publish(customer_id, balance)
