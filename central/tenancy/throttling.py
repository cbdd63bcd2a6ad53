"""How much one caller may ask for: the same for REST, MCP and pages."""

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from central.common import rates
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView


def count_request(*, caller: str, scope: Scope) -> None:
    """Count a request that needs `scope`. Raises ThrottledError.

    `caller` names a token or a person: `token 12`, `user 3`.
    """
    what = "search" if scope == Scope.SEARCH else "index"
    rates.require(f"{what} {caller}", getattr(settings.RATES, what), what=what)


class TokenRate(BaseThrottle):
    """Every view of the API that asks for a scope. Asked after permissions were."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """True, or ThrottledError, which says more than REST framework's own."""
        scope = getattr(view, "required_scope", None)
        credential = request.auth
        if isinstance(credential, Credential) and isinstance(scope, Scope):
            count_request(caller=f"token {credential.api_token_id}", scope=scope)
        return True
