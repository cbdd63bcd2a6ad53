"""How the OpenAPI document describes the bearer token."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer <api token>`."""

    target_class = "central.tenancy.authentication.TokenAuthentication"
    name = "apiToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """An HTTP bearer scheme."""
        del auto_schema
        return {"type": "http", "scheme": "bearer", "bearerFormat": "aet_…"}
