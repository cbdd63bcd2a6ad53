"""Internal routes of the embedded server, for commands on the same machine.

Authorised by the key in the data directory, and so by read access to that directory.
"""

import hmac
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.views.decorators.csrf import csrf_exempt

from central.errors import ServiceError, UnauthenticatedError
from central.http.bodies import json_object, read_body
from central.http.problems import response_to
from central.runtime.loopback import KEY_HEADER
from indexer.errors import StoreError

INTERNAL_BODY_BYTES: Final = 64 * 1024
_Operation = Callable[[dict[str, Any]], HttpResponse]


def internal(operation: _Operation) -> Callable[[HttpRequest], HttpResponse]:
    """Wrap `operation` as a POST view with a JSON body, authorised by the server key."""

    @csrf_exempt
    @wraps(operation)
    def view(request: HttpRequest) -> HttpResponse:
        try:
            _require_key(request)
            if request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            return operation(json_object(read_body(request, limit_bytes=INTERNAL_BODY_BYTES)))
        except (ServiceError, StoreError) as exc:
            response = response_to(request, exc)
            if response is None:
                raise
            return response

    return view


def _require_key(request: HttpRequest) -> None:
    path = settings.DATA_DIR / "server_key"
    expected = path.read_bytes().strip() if path.is_file() else b""
    given = request.headers.get(KEY_HEADER, "").encode()
    if not expected or not hmac.compare_digest(expected, given):
        raise UnauthenticatedError(
            "This address is for this service's own commands.", code="invalid_server_key"
        )
