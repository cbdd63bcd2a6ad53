"""The payments team's own pages: as the API, but nobody without a staff role comes near them."""

from collections.abc import Callable, Iterable
from typing import Any

import acme_auth
from acme_auth.middleware import CLAIMS_KEY
from acme_auth.tokens import KeyRing

STAFF = frozenset({"support", "finance", "admin"})


class StaffMiddleware(acme_auth.AuthMiddleware):
    """Hides the pages from customers: for them there is nothing here."""

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        answer = super().__call__(environ, start_response)
        claims = environ.get(CLAIMS_KEY)
        if claims is not None and STAFF.isdisjoint(claims.roles):
            start_response("404 Not Found", [])
            return [b""]
        return answer


def create_backoffice(pages: Callable[..., Iterable[bytes]], keys: KeyRing) -> StaffMiddleware:
    """The pages as they run beside the API."""
    return StaffMiddleware(pages, keys, audience="payments-staff")
