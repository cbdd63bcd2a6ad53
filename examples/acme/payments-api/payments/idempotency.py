"""The same request twice is one payment: answers are kept under the client's idempotency key."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from acme_common.clock import Clock

from payments.models import Payment, PaymentRequest

KEY_LIFETIME = timedelta(hours=24)


class IdempotencyConflictError(Exception):
    """The key was used for a different request."""


@dataclass(frozen=True, slots=True)
class _Entry:
    fingerprint: str
    payment: Payment
    stored_at: datetime


class IdempotencyStore:
    """Remembers for a day which payment answered which key."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: dict[tuple[str, str], _Entry] = {}

    def once(self, key: str, request: PaymentRequest, charge: Callable[[], Payment]) -> Payment:
        """Run `charge` unless this customer's key has an answer already; then return that answer.

        Prevents double charges when a client repeats a request because it did not see the answer.
        Raises IdempotencyConflictError when the key comes with other content. Implements ADR-042.
        """
        fingerprint = request_fingerprint(request)
        entry = self._entries.get((request.customer_id, key))
        if entry is not None and entry.stored_at + KEY_LIFETIME > self._clock.now():
            if entry.fingerprint != fingerprint:
                raise IdempotencyConflictError("this key belongs to another request; use a new one")
            return entry.payment
        payment = charge()
        self._entries[request.customer_id, key] = _Entry(fingerprint, payment, self._clock.now())
        return payment


def request_fingerprint(request: PaymentRequest) -> str:
    """A digest that is equal for equal requests."""
    return hashlib.sha256(json.dumps(asdict(request), sort_keys=True).encode()).hexdigest()
