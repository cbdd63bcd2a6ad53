"""Events from the card network: settlements and chargebacks, signed, in any order, sometimes twice."""

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from acme_common.clock import Clock
from acme_common.money import Money

from payments.ledger import Ledger
from payments.models import Payment, PaymentStatus

TOLERANCE_SECONDS = 300


class WebhookRefusedError(Exception):
    """The event does not come from the card network, or is too old."""


def verify_network_signature(body: bytes, timestamp: str, signature: str, secret: bytes, clock: Clock) -> None:
    """Check the HMAC over timestamp and body.

    An old timestamp is refused, so that a recorded event cannot be replayed.
    """
    if abs(clock.now().timestamp() - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookRefusedError("timestamp is outside the tolerance")
    expected = hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, signature):
        raise WebhookRefusedError("signature does not match")


@dataclass(slots=True)
class NetworkEvents:
    """Applies events to payments, each event once."""

    ledger: Ledger
    find_payment: Callable[[str], Payment]
    _seen: set[str] = field(default_factory=set)

    def handle(self, body: bytes) -> bool:
        """Apply one event. Returns False when it was applied before."""
        event = json.loads(body)
        if event["id"] in self._seen:
            return False
        payment = self.find_payment(event["reference"])
        _HANDLERS[event["type"]](self, payment, Money(event["minor"], event["currency"]))
        self._seen.add(event["id"])
        return True

    def settle(self, payment: Payment, amount: Money) -> None:
        """The money has arrived at our bank."""
        payment.status = PaymentStatus.CAPTURED
        self.ledger.transfer(f"settlement of {payment.id}", "network:pending", "bank:main", amount)

    def charge_back(self, payment: Payment, amount: Money) -> None:
        """The cardholder disputed the charge and the network took the money back."""
        payment.status = PaymentStatus.DISPUTED
        self.ledger.transfer(f"chargeback of {payment.id}", "bank:main", "disputes:open", amount)


_HANDLERS: dict[str, Callable[[NetworkEvents, Payment, Money], None]] = {
    "settlement": NetworkEvents.settle,
    "chargeback": NetworkEvents.charge_back,
}
