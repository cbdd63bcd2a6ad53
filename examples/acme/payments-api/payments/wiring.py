"""Building the service from its environment."""

import os

from acme_auth.middleware import AuthMiddleware
from acme_auth.tokens import KeyRing
from acme_common.clock import SystemClock

from payments.app import create_app
from payments.card_network import CardNetwork
from payments.fraud_client import FraudEngineClient
from payments.idempotency import IdempotencyStore
from payments.ledger import Ledger
from payments.models import Payment
from payments.processing import ProcessPayment
from payments.webhooks import NetworkEvents


def build() -> AuthMiddleware:
    """The application as it runs in production. A missing setting is a KeyError at start."""
    clock = SystemClock()
    ledger = Ledger(clock)
    payments: dict[str, Payment] = {}
    service = ProcessPayment(
        network=CardNetwork(os.environ["CARD_NETWORK_URL"], os.environ["CARD_NETWORK_KEY"]),
        fraud=FraudEngineClient(os.environ["FRAUD_ENGINE_URL"]),
        ledger=ledger,
        idempotency=IdempotencyStore(clock),
        clock=clock,
    )
    return create_app(service, NetworkEvents(ledger, payments.__getitem__), KeyRing.from_environment())
