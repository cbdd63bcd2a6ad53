"""Scopes, asked before a view runs."""

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from central.common.errors import UnauthenticatedError
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView


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
        raise UnauthenticatedError("Send 'Authorization: Bearer <api token>'.")
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
