"""The WSGI application of the billing service."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from acme_auth import AuthMiddleware
from acme_auth.middleware import CLAIMS_KEY
from acme_auth.permissions import has_permission
from acme_auth.tokens import KeyRing
from acme_common.logging import configure_logging
from acme_common.pagination import paginate

from billing.invoices import Invoice


class InvoiceList:
    """`GET /v1/invoices`: the caller's own invoices, or everybody's for the finance team."""

    def __init__(self, invoices: list[Invoice]) -> None:
        self._invoices = invoices

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        claims = environ[CLAIMS_KEY]
        all_customers = has_permission(claims, "invoices:list_all")
        visible = [i for i in self._invoices if all_customers or i.customer_id == claims.subject]
        page = paginate(sorted(visible, key=lambda i: i.id), lambda i: i.id, environ.get("acme.cursor"), 50)
        start_response("200 OK", [("Content-Type", "application/json")])
        items = [{"number": i.number, "total": i.total.minor, "status": i.status} for i in page.items]
        return [json.dumps({"items": items, "next_cursor": page.next_cursor}).encode()]


def build_application(invoices: list[Invoice]) -> AuthMiddleware:
    """Everything behind the middleware; the keys come from the environment."""
    configure_logging("billing-service")
    return AuthMiddleware(InvoiceList(invoices), KeyRing.from_environment(), audience="billing")
