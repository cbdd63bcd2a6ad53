import unittest

from acme_common.money import CurrencyMismatchError, Money, format_money, parse_money


class MoneyTest(unittest.TestCase):
    def test_no_cent_is_lost_when_splitting(self):
        shares = Money(100, "EUR").allocate([1, 1, 1])
        self.assertEqual([share.minor for share in shares], [34, 33, 33])

    def test_currencies_do_not_mix(self):
        with self.assertRaises(CurrencyMismatchError):
            Money(1, "EUR") + Money(1, "USD")

    def test_format(self):
        self.assertEqual(format_money(Money(-123450, "USD")), "-$1,234.50")
        self.assertEqual(format_money(Money(500, "JPY")), "¥500")

    def test_parse_refuses_to_round(self):
        with self.assertRaises(ValueError):
            parse_money("1.999", "EUR")


if __name__ == "__main__":
    unittest.main()
