import sqlite3
import unittest

from acme_common.money import Money
from monolith.handlers.payments import VoucherError, process_payment
from monolith.handlers.stock import adjust_stock, levels
from monolith.utils import slugify


class MonolithTest(unittest.TestCase):
    def setUp(self):
        self.db = sqlite3.connect(":memory:")
        self.addCleanup(self.db.close)
        self.db.row_factory = sqlite3.Row
        self.db.executescript(
            "CREATE TABLE vouchers (code, minor, used); CREATE TABLE payments (id, order_id, minor);"
            "CREATE TABLE stock (sku, quantity); INSERT INTO vouchers VALUES ('GIFT', 1000, 0);"
            "INSERT INTO stock VALUES ('tea', 3);"
        )

    def test_a_voucher_works_once(self):
        self.assertTrue(process_payment(self.db, "ord_1", "GIFT", Money(900, "EUR")).startswith("vpay_"))
        with self.assertRaises(VoucherError):
            process_payment(self.db, "ord_2", "GIFT", Money(100, "EUR"))

    def test_stock_never_falls_below_zero(self):
        self.assertFalse(adjust_stock(self.db, "tea", -4))
        self.assertTrue(adjust_stock(self.db, "tea", -3))
        self.assertEqual(levels(self.db, ["tea"]), {"tea": 0})

    def test_slugs_are_plain_ascii(self):
        self.assertEqual(slugify("Grüner Tee, 100 g"), "gruner-tee-100-g")


if __name__ == "__main__":
    unittest.main()
