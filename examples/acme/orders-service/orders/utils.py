"""Sums over order lines."""

from acme_common.money import Money


def total_of(lines) -> Money:
    """What all lines cost together. An order has at least one line."""
    currency = lines[0].price.currency
    return Money(sum(line.quantity * line.price.minor for line in lines), currency)
