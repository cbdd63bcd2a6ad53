"""Revenue by month and the comparison with the year before."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from acme_common.money import Money, format_money


def revenue_by_month(payments: Iterable[tuple[date, Money]]) -> dict[str, Money]:
    """Sum up payments per calendar month. Refunds come as negative amounts."""
    totals: defaultdict[str, int] = defaultdict(int)
    currency = "EUR"
    for day, amount in payments:
        totals[f"{day:%Y-%m}"] += amount.minor
        currency = amount.currency
    return {month: Money(minor, currency) for month, minor in sorted(totals.items())}


def growth_table(revenue: dict[str, Money]) -> str:
    """A Markdown table with the change against the same month of the year before."""
    lines = ["| month | revenue | change |", "|---|---|---|"]
    for month, amount in revenue.items():
        before = revenue.get(f"{int(month[:4]) - 1}{month[4:]}")
        change = f"{(amount.minor / before.minor - 1):+.0%}" if before and before.minor else "–"
        lines.append(f"| {month} | {format_money(amount)} | {change} |")
    return "\n".join(lines)
