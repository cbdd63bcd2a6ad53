"""Authentication, scopes and rate limits of the API's views."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from central.http import rate_limits
from central.http.bearer import bearer_token, missing_token
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.tokens import credential_of

if TYPE_CHECKING:
    from rest_framework.views import APIView


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer aet_…` → request.auth is a Credential; there is no user."""

    def authenticate(self, request: Request) -> tuple[None, Credential] | None:
        """None without the header; UnauthenticatedError for a token that is not valid."""
        header = request.headers.get("Authorization")
        return None if header is None else (None, credential_of(bearer_token(header)))

    def authenticate_header(self, request: Request) -> str:
        """What WWW-Authenticate says where no header came."""
        del request
        return 'Bearer realm="aeterna"'


class HasScope(BasePermission):
    """Grants a view to credentials with its `required_scope`; a view without one to nobody."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """Raise UnauthenticatedError or ForbiddenError, whose documents say what is lacking."""
        scope = getattr(view, "required_scope", None)
        credential = credential_in(request)
        if not isinstance(scope, Scope):
            return False
        credential.require_scope(scope)
        return True


def credential_in(request: Request) -> Credential:
    """The request's credential. Raises UnauthenticatedError."""
    if not isinstance(request.auth, Credential):
        raise missing_token()
    return request.auth


def credential_for(request: Request, org_id: object) -> Credential:
    """The request's credential, once a given `org_id` is its own.

    To be asked before anything is said about the rest of a request. What is no string is left to
    the serializer. Raises UnauthenticatedError, NotFoundError.
    """
    credential = credential_in(request)
    if isinstance(org_id, str):
        credential.require_organization(org_id)
    return credential


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer <api token>`."""

    target_class = "central.tenancy.authentication.TokenAuthentication"
    name = "apiToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """An HTTP bearer scheme."""
        del auto_schema
        return {"type": "http", "scheme": "bearer", "bearerFormat": "aet_…"}


def count_request(*, caller: str, scope: Scope) -> None:
    """Count a request that needs `scope`. Raises ThrottledError.

    `caller` names a token or a person: `token 12`, `user 3`.
    """
    what = "search" if scope == Scope.SEARCH else "index"
    rate_limits.enforce(f"{what} {caller}", getattr(settings.RATES, what), what=what)


class TokenRate(BaseThrottle):
    """Every view of the API that asks for a scope. Asked after permissions were."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """True, or ThrottledError, which says more than REST framework's own."""
        scope = getattr(view, "required_scope", None)
        credential = request.auth
        if isinstance(credential, Credential) and isinstance(scope, Scope):
            count_request(caller=f"token {credential.api_token_id}", scope=scope)
        return True
