"""Resellers see the invoices of their own customers, each on an address of its own."""

from collections.abc import Mapping

import acme_auth.middleware as gate
from acme_auth.tokens import KeyRing

from billing.app import InvoiceList
from billing.invoices import Invoice


def reseller_applications(
    invoices: Mapping[str, list[Invoice]], keys: KeyRing
) -> dict[str, gate.AuthMiddleware]:
    """One application for each reseller; a token for one of them opens no other."""
    return {
        reseller: gate.AuthMiddleware(InvoiceList(own), keys, audience=f"reseller-{reseller}")
        for reseller, own in invoices.items()
    }
