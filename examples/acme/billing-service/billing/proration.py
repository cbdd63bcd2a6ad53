"""What a change of plan in the middle of a billing period costs."""

from dataclasses import dataclass
from datetime import date

from acme_common.money import Money, format_money

from billing.invoices import LineItem
from billing.utils import days_between


@dataclass(frozen=True, slots=True)
class Plan:
    name: str
    price: Money


@dataclass(frozen=True, slots=True)
class Period:
    """A billing period; `end` is the first day of the next one."""

    start: date
    end: date

    @property
    def days(self) -> int:
        return days_between(self.start, self.end)

    def days_left(self, on: date) -> int:
        """Days from `on` to the end, the day itself included."""
        return max(0, min(self.days, days_between(on, self.end)))


def prorate(price: Money, period: Period, on: date) -> Money:
    """The share of a period's price for the days that are left. No cent is lost or invented."""
    left = period.days_left(on)
    return price.allocate([left, period.days - left])[0]


def plan_change_lines(old: Plan, new: Plan, period: Period, on: date) -> list[LineItem]:
    """Credit the unused days of the old plan and charge them at the price of the new one.

    An upgrade is billed now; for a downgrade the credit is larger, so the next invoice gets smaller.
    """
    unused, needed = prorate(old.price, period, on), prorate(new.price, period, on)
    return [
        LineItem(f"Unused time on {old.name} after {on}", -unused),
        LineItem(f"Remaining time on {new.name} ({format_money(new.price)} a month)", needed),
    ]
