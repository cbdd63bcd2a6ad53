import unittest
from datetime import UTC, datetime

from acme_common.clock import FrozenClock
from inventory.reservations import Stock


class StockTest(unittest.TestCase):
    def test_reservations_lapse(self):
        clock = FrozenClock(datetime(2026, 3, 1, tzinfo=UTC))
        stock = Stock(clock, {"tea": 1})
        self.assertTrue(stock.reserve("ord_1", {"tea": 1}))
        self.assertFalse(stock.reserve("ord_2", {"tea": 1}))
        clock.advance(minutes=31)
        self.assertTrue(stock.reserve("ord_2", {"tea": 1}))
