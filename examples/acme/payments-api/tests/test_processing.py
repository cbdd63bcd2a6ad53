import unittest
from datetime import UTC, datetime

from acme_common.clock import FrozenClock
from acme_common.money import Money
from payments.card_network import Authorisation, CardDeclinedError
from payments.idempotency import IdempotencyConflictError, IdempotencyStore
from payments.ledger import Ledger, Posting, UnbalancedEntryError
from payments.models import PaymentRequest, PaymentStatus
from payments.processing import ProcessPayment
from payments.tokenization import luhn_digit, verify_token

TOKEN = f"card_424242{'0' * 16}{luhn_digit('424242')}"


class Network:
    def __init__(self):
        self.calls = 0

    def authorise(self, reference, card_token, amount):
        self.calls += 1
        if amount.minor > 10_000:
            raise CardDeclinedError("insufficient_funds")
        return Authorisation(f"net-{reference}", amount)


class Accept:
    def decide(self, request):
        return "accept"


class ProcessPaymentTest(unittest.TestCase):
    def setUp(self):
        clock = FrozenClock(datetime(2026, 3, 1, tzinfo=UTC))
        self.network, self.ledger = Network(), Ledger(clock)
        self.process = ProcessPayment(self.network, Accept(), self.ledger, IdempotencyStore(clock), clock)

    def request(self, minor):
        return PaymentRequest("cus_1", TOKEN, Money(minor, "EUR"), "ord_1")

    def test_the_same_key_charges_once(self):
        first = self.process(self.request(500), "k")
        self.assertIs(self.process(self.request(500), "k"), first)
        self.assertEqual(self.network.calls, 1)
        self.assertEqual(self.ledger.balance("network:pending", "EUR"), Money(500, "EUR"))

    def test_the_same_key_for_something_else_is_a_conflict(self):
        self.process(self.request(500), "k")
        with self.assertRaises(IdempotencyConflictError):
            self.process(self.request(501), "k")

    def test_a_declined_card_is_an_answer(self):
        self.assertEqual(self.process(self.request(20_000), "k").status, PaymentStatus.DECLINED)


class LedgerTest(unittest.TestCase):
    def test_entries_must_balance(self):
        ledger = Ledger(FrozenClock(datetime(2026, 3, 1, tzinfo=UTC)))
        with self.assertRaises(UnbalancedEntryError):
            ledger.post("oops", Posting("a", Money(1, "EUR")))


class CardTokenTest(unittest.TestCase):
    def test_verify_token_returns_the_bank_range(self):
        self.assertEqual(verify_token(TOKEN), "424242")


if __name__ == "__main__":
    unittest.main()
