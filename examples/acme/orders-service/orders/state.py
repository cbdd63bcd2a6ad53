"""The life of an order as a table of allowed steps."""

from enum import StrEnum


class OrderState(StrEnum):
    PLACED = "placed"
    PAID = "paid"
    PACKED = "packed"
    SHIPPED = "shipped"
    CANCELLED = "cancelled"


_NEXT = {
    OrderState.PLACED: {OrderState.PAID, OrderState.CANCELLED},
    OrderState.PAID: {OrderState.PACKED, OrderState.CANCELLED},
    OrderState.PACKED: {OrderState.SHIPPED},
    OrderState.SHIPPED: set(),
    OrderState.CANCELLED: set(),
}


class IllegalTransitionError(Exception):
    """An order cannot go from where it is to where it was sent."""


def advance(current: OrderState, target: OrderState) -> OrderState:
    """The new state. A packed order can no longer be cancelled: it has to come back as a return."""
    if target not in _NEXT[current]:
        raise IllegalTransitionError(f"{current} → {target}")
    return target
