"""Taking a payment, from the request to the ledger."""

import logging
from dataclasses import dataclass
from typing import Protocol

from acme_common.clock import Clock
from acme_common.ids import new_id
from acme_common.money import parse_money

from payments.card_network import CardDeclinedError, CardNetwork
from payments.idempotency import IdempotencyStore
from payments.ledger import Ledger
from payments.models import Payment, PaymentRequest, PaymentStatus
from payments.tokenization import verify_token
from payments.utils import describe_payment

logger = logging.getLogger(__name__)


class FraudSuspectedError(Exception):
    """fraud-engine refused the payment; nothing was charged."""


class FraudScreen(Protocol):
    """The client of fraud-engine. Answers "accept", "review" or "reject"."""

    def decide(self, request: PaymentRequest) -> str: ...


@dataclass(slots=True)
class ProcessPayment:
    """Charges a card once, however often the client asks."""

    network: CardNetwork
    fraud: FraudScreen
    ledger: Ledger
    idempotency: IdempotencyStore
    clock: Clock

    def __call__(self, request: PaymentRequest, idempotency_key: str) -> Payment:
        """Screen, authorise and book. A declined card is an answer (status DECLINED), not an error."""
        verify_token(request.card_token)
        return self.idempotency.once(idempotency_key, request, lambda: self._charge(request))

    def _charge(self, request: PaymentRequest) -> Payment:
        if self.fraud.decide(request) == "reject":
            raise FraudSuspectedError(request.order_id)
        payment = Payment(new_id("pay"), request, PaymentStatus.AUTHORISED, self.clock.now())
        try:
            authorisation = self.network.authorise(payment.id, request.card_token, request.amount)
        except CardDeclinedError as exc:
            logger.info("%s was declined: %s", describe_payment(payment), exc.code)
            payment.status = PaymentStatus.DECLINED
            return payment
        payment.network_reference = authorisation.reference
        self.ledger.transfer(payment.id, "customers:receivable", "network:pending", request.amount)
        return payment


def process_payment(service: ProcessPayment, customer_id: str, body: dict[str, str], key: str) -> Payment:
    """The handler's half: build the request from a JSON body and process it."""
    return service(request_from_json(customer_id, body), key)


def request_from_json(customer_id: str, body: dict[str, str]) -> PaymentRequest:
    """Read the body of `POST /v1/payments`. Raises KeyError or ValueError for a bad one."""
    return PaymentRequest(
        customer_id=customer_id,
        card_token=body["card_token"],
        amount=parse_money(body["amount"], body["currency"]),
        order_id=body["order_id"],
        country=body.get("country", ""),
    )
