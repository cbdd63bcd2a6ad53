"""Placing an order: reserve the goods, then ask for the money."""

from dataclasses import dataclass
from typing import Protocol

from acme_common.ids import new_id
from acme_common.money import Money
from acme_common.retry import RetriesExhaustedError, retry_call

from orders.state import OrderState
from orders.utils import total_of


class Inventory(Protocol):
    """The client of inventory-service."""

    def reserve(self, order_id: str, lines: dict[str, int]) -> bool: ...

    def release(self, order_id: str) -> None: ...


class Payments(Protocol):
    """The client of payments-api."""

    def charge(self, customer_id: str, amount: Money, idempotency_key: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Line:
    sku: str
    quantity: int
    price: Money


@dataclass(slots=True)
class Order:
    id: str
    customer_id: str
    lines: list[Line]
    state: OrderState = OrderState.PLACED


def place_order(customer_id: str, lines: list[Line], inventory: Inventory, payments: Payments) -> Order:
    """A saga of two steps: if the payment fails, the reservation is undone."""
    order = Order(new_id("ord"), customer_id, lines)
    if not retry_call(inventory.reserve, order.id, {line.sku: line.quantity for line in lines}):
        order.state = OrderState.CANCELLED
        return order
    try:
        status = retry_call(payments.charge, customer_id, total_of(lines), order.id)
    except RetriesExhaustedError:
        status = "unknown"
    if status == "declined":
        inventory.release(order.id)
        order.state = OrderState.CANCELLED
    elif status == "authorised":
        order.state = OrderState.PAID
    return order
