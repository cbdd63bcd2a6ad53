import unittest
from datetime import date

from acme_common.money import Money
from billing.dunning import DunningRun, DunningStep, dunning_step
from billing.invoices import Invoice, InvoiceFrozenError, LineItem, finalise_invoice
from billing.numbering import NumberSequence
from billing.proration import Period, Plan, plan_change_lines
from billing.tax import TaxProfile, is_reverse_charge, tax_on

MARCH = Period(date(2026, 3, 1), date(2026, 4, 1))


def open_invoice():
    invoice = Invoice("cus_1", "EUR", TaxProfile("DE"))
    invoice.add_line(LineItem("Team plan", Money(1000, "EUR")))
    return finalise_invoice(invoice, NumberSequence(2026), date(2026, 3, 1))


class InvoiceTest(unittest.TestCase):
    def test_total_includes_tax(self):
        self.assertEqual(open_invoice().total, Money(1190, "EUR"))

    def test_a_finalised_invoice_is_frozen(self):
        with self.assertRaises(InvoiceFrozenError):
            open_invoice().add_line(LineItem("more", Money(1, "EUR")))


class TaxTest(unittest.TestCase):
    def test_business_in_another_eu_country_pays_no_vat_to_us(self):
        profile = TaxProfile("FR", "FR12345678901")
        self.assertTrue(is_reverse_charge(profile))
        self.assertEqual(tax_on(Money(1000, "EUR"), profile), Money(0, "EUR"))


class ProrationTest(unittest.TestCase):
    def test_upgrade_on_the_first_day_costs_the_difference(self):
        lines = plan_change_lines(
            Plan("Solo", Money(1000, "EUR")), Plan("Team", Money(3100, "EUR")), MARCH, date(2026, 3, 1)
        )
        self.assertEqual(sum(line.amount.minor for line in lines), 2100)


class DunningTest(unittest.TestCase):
    def test_steps_follow_the_days_overdue(self):
        steps = [dunning_step(open_invoice(), date(2026, 3, day)) for day in (1, 2, 4, 8, 15)]
        self.assertEqual(steps, list(DunningStep))

    def test_a_successful_charge_ends_it(self):
        class Payments:
            def charge(self, *args):
                return "authorised"

        self.assertIs(DunningRun(Payments(), None).process(open_invoice(), date(2026, 3, 9)), DunningStep.NONE)


if __name__ == "__main__":
    unittest.main()
