"""Authentication, scopes and rate limits of the API's views, and the local token."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpResponse, JsonResponse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from central.errors import InvalidError
from central.http import rate_limits
from central.http.bearer import bearer_token, missing_token
from central.http.internal import internal
from central.tenancy.audit import COMMAND
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.services.tokens import LOCAL_TOKEN_LIFETIME, create_local_token
from central.tenancy.tokens import credential_of

if TYPE_CHECKING:
    from rest_framework.views import APIView


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer aet_…` as a Credential in request.auth; there is no user."""

    def authenticate(self, request: Request) -> tuple[None, Credential] | None:
        """Return None without the header. Raises UnauthenticatedError for an invalid token."""
        header = request.headers.get("Authorization")
        return None if header is None else (None, credential_of(bearer_token(header)))

    def authenticate_header(self, request: Request) -> str:
        del request
        return 'Bearer realm="aeterna"'


class HasScope(BasePermission):
    """A view is permitted to credentials with its `required_scope`; without one, to none."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """Raise UnauthenticatedError or ForbiddenError, whose documents name what is missing."""
        scope = getattr(view, "required_scope", None)
        credential = credential_in(request)
        if not isinstance(scope, Scope):
            return False
        credential.require_scope(scope)
        return True


def credential_in(request: Request) -> Credential:
    """Return the request's credential. Raises UnauthenticatedError."""
    if not isinstance(request.auth, Credential):
        raise missing_token()
    return request.auth


def credential_for(request: Request, org_id: object) -> Credential:
    """Return the request's credential; a given `org_id` must be its own.

    Call it before the rest of a request is validated. The serializer refuses an `org_id` that is no
    string. Raises UnauthenticatedError, NotFoundError.
    """
    credential = credential_in(request)
    if isinstance(org_id, str):
        credential.require_organization(org_id)
    return credential


def whole_credential_for(request: Request, org_id: object) -> Credential:
    """Return the credential if it is of the whole organisation, for what names any repository."""
    credential = credential_for(request, org_id)
    credential.require_whole_organization()
    return credential


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer <api token>`."""

    target_class = "central.tenancy.authentication.TokenAuthentication"
    name = "apiToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        return {"type": "http", "scheme": "bearer", "bearerFormat": "aet_…"}


def count_request(*, caller: str, scope: Scope) -> None:
    """Count a request that needs `scope`. Raises ThrottledError.

    `caller` names a token or a person: `token 12`, `user 3`.
    """
    what = "search" if scope == Scope.SEARCH else "index"
    rate_limits.enforce(f"{what} {caller}", getattr(settings.RATES, what), what=what)


class TokenRate(BaseThrottle):
    """The rate limit of every view that requires a scope, applied after permissions."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Return True, or raise ThrottledError, which is more precise than the framework's."""
        scope = getattr(view, "required_scope", None)
        credential = request.auth
        if isinstance(credential, Credential) and isinstance(scope, Scope):
            count_request(caller=f"token {credential.api_token_id}", scope=scope)
        return True


@internal
def local_token(arguments: dict[str, Any]) -> HttpResponse:
    """Issue a token for the local command line; create its organisation if needed."""
    slug = arguments.get("organization")
    if not isinstance(slug, str):
        raise InvalidError("Give `organization` as a string.")
    token = create_local_token(organization_slug=slug, actor=COMMAND)
    lifetime = int(LOCAL_TOKEN_LIFETIME.total_seconds())
    return JsonResponse({"access_token": token, "expires_in": lifetime})
