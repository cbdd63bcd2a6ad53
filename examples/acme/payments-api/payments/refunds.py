"""Giving money back, in full or in part."""

from dataclasses import dataclass
from datetime import timedelta

from acme_auth.permissions import require_permission
from acme_auth.tokens import TokenClaims
from acme_common.clock import Clock
from acme_common.ids import new_id
from acme_common.money import Money, format_money

from payments.card_network import CardNetwork
from payments.ledger import Ledger
from payments.models import Payment, PaymentStatus

REFUND_WINDOW = timedelta(days=180)


class RefundNotAllowedError(Exception):
    """The payment cannot be refunded, or not by this much."""


@dataclass(frozen=True, slots=True)
class Refund:
    id: str
    payment_id: str
    amount: Money
    network_reference: str


def check_refundable(payment: Payment, amount: Money, clock: Clock) -> None:
    """Raise RefundNotAllowedError unless the payment is young enough and has that much left."""
    if payment.status not in (PaymentStatus.AUTHORISED, PaymentStatus.CAPTURED):
        raise RefundNotAllowedError(f"a {payment.status} payment cannot be refunded")
    if clock.now() - payment.created_at > REFUND_WINDOW:
        raise RefundNotAllowedError("the card network takes refunds for 180 days only")
    if amount.minor <= 0 or amount > payment.refundable:
        raise RefundNotAllowedError(f"at most {format_money(payment.refundable)} can be refunded")


@require_permission("payments:refund")
def refund_payment(
    claims: TokenClaims, payment: Payment, amount: Money, network: CardNetwork, ledger: Ledger, clock: Clock
) -> Refund:
    """Send `amount` back to the card that paid, and book it. Support staff only."""
    check_refundable(payment, amount, clock)
    reference = network.reverse(payment.network_reference, amount)
    ledger.transfer(f"refund of {payment.id} by {claims.subject}", "network:pending", "customers:receivable", amount)
    payment.refunded += amount.minor
    if payment.refundable.minor == 0:
        payment.status = PaymentStatus.REFUNDED
    return Refund(new_id("ref"), payment.id, amount, reference)
