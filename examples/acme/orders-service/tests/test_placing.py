import unittest

from acme_common.money import Money
from orders.placing import Line, place_order
from orders.state import IllegalTransitionError, OrderState, advance


class Shelf:
    def __init__(self):
        self.released = []

    def reserve(self, order_id, lines):
        return True

    def release(self, order_id):
        self.released.append(order_id)


class Bank:
    def charge(self, customer_id, amount, key):
        return "declined" if amount.minor > 1000 else "authorised"


class PlaceOrderTest(unittest.TestCase):
    def test_a_declined_payment_frees_the_goods(self):
        shelf = Shelf()
        order = place_order("cus_1", [Line("tea", 3, Money(500, "EUR"))], shelf, Bank())
        self.assertEqual((order.state, shelf.released), (OrderState.CANCELLED, [order.id]))

    def test_a_shipped_order_cannot_be_cancelled(self):
        with self.assertRaises(IllegalTransitionError):
            advance(OrderState.SHIPPED, OrderState.CANCELLED)
