"""Records of the payments service."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from acme_common.money import Money


class PaymentStatus(StrEnum):
    """A payment's life: authorised, then captured by settlement; or declined; or disputed later."""

    AUTHORISED = "authorised"
    CAPTURED = "captured"
    DECLINED = "declined"
    REFUNDED = "refunded"
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """What a client asks for. `order_id` is opaque to this service."""

    customer_id: str
    card_token: str
    amount: Money
    order_id: str
    country: str = ""


@dataclass(slots=True)
class Payment:
    """One charge. `refunded` is what has been given back so far, in minor units."""

    id: str
    request: PaymentRequest
    status: PaymentStatus
    created_at: datetime
    network_reference: str = ""
    refunded: int = 0

    @property
    def refundable(self) -> Money:
        """What may still be given back."""
        return Money(self.request.amount.minor - self.refunded, self.request.amount.currency)
