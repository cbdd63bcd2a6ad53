"""A request's token becomes its Credential."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from central.tenancy.credentials import Credential
from central.tenancy.tokens import credential_of, unknown_token


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer aet_…` → request.auth is a Credential; there is no user."""

    def authenticate(self, request: Request) -> tuple[None, Credential] | None:
        """None without the header; UnauthenticatedError for a token that is not valid."""
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            raise unknown_token()
        return None, credential_of(token)

    def authenticate_header(self, request: Request) -> str:
        """What WWW-Authenticate says where no header came."""
        del request
        return 'Bearer realm="aeterna"'
