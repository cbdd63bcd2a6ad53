"""What the command line on this machine asks of the embedded server."""

from typing import Any

from django.http import HttpResponse, JsonResponse

from central.errors import InvalidError
from central.http.internal import internal
from central.tenancy.audit import COMMAND
from central.tenancy.services import LOCAL_TOKEN_LIFETIME, create_local_token


@internal
def local_token(arguments: dict[str, Any]) -> HttpResponse:
    """A token of an organisation, which is made if there is none."""
    slug = arguments.get("organization")
    if not isinstance(slug, str):
        raise InvalidError("Give organization as a string.")
    token = create_local_token(organization_slug=slug, actor=COMMAND)
    lifetime = int(LOCAL_TOKEN_LIFETIME.total_seconds())
    return JsonResponse({"access_token": token, "expires_in": lifetime})
