"""Ordering more before we run out."""

import math
from collections.abc import Callable

from acme_common.retry import retry_call


def reorder_quantity(on_hand: int, sold_per_day: float, lead_days: int, cover_days: int = 30) -> int:
    """How many to order now: nothing while the stock outlasts the delivery with a week to spare."""
    if on_hand > sold_per_day * (lead_days + 7):
        return 0
    return max(0, math.ceil(sold_per_day * (lead_days + cover_days)) - on_hand)


def order_from_supplier(send: Callable[[str, int], str], sku: str, quantity: int) -> str:
    """Place the order and return the supplier's reference."""
    return retry_call(send, sku, quantity, retry_on=(ConnectionError,))
