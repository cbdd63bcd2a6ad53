"""Wiring: which URL runs which handler, behind which middleware."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from acme_auth.middleware import CLAIMS_KEY, AuthMiddleware
from acme_auth.tokens import KeyRing
from acme_common.logging import configure_logging, request_scope

from payments.processing import ProcessPayment, process_payment
from payments.webhooks import NetworkEvents


def create_app(service: ProcessPayment, events: NetworkEvents, keys: KeyRing) -> AuthMiddleware:
    """Build the WSGI application. Network events bring their own signature instead of a token."""
    configure_logging("payments-api")
    return AuthMiddleware(
        Router(service, events), keys, audience="payments", public_paths=["/v1/network-events"]
    )


class Router:
    """Sends a request to its handler and turns the result into JSON."""

    def __init__(self, service: ProcessPayment, events: NetworkEvents) -> None:
        self._service = service
        self._events = events

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with request_scope(environ.get("HTTP_X_REQUEST_ID", "-")):
            handler = {"/v1/payments": self._pay, "/v1/network-events": self._event}.get(environ["PATH_INFO"])
            if handler is None:
                start_response("404 Not Found", [])
                return [b""]
            start_response("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(handler(environ, environ["wsgi.input"].read())).encode()]

    def _pay(self, environ: dict[str, Any], body: bytes) -> dict[str, object]:
        customer = environ[CLAIMS_KEY].subject
        payment = process_payment(self._service, customer, json.loads(body), environ["HTTP_IDEMPOTENCY_KEY"])
        return {"id": payment.id, "status": payment.status}

    def _event(self, environ: dict[str, Any], body: bytes) -> dict[str, object]:
        return {"applied": self._events.handle(body)}
