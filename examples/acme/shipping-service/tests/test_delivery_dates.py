import unittest
from datetime import date

from shipping.delivery_dates import delivery_date


class DeliveryDateTest(unittest.TestCase):
    def test_weekends_and_holidays_do_not_count(self):
        friday, monday = date(2026, 3, 6), date(2026, 3, 9)
        self.assertEqual(delivery_date(friday, 1, frozenset()), monday)
        self.assertEqual(delivery_date(friday, 1, frozenset({monday})), date(2026, 3, 10))
