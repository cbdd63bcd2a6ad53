"""What management commands ask of the embedded server, which alone may open the store.

Authorised by the key in the data directory, so by whoever may read that directory.
"""

import hmac
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from central.common.bodies import json_object, read_body
from central.common.errors import InvalidError, ServiceError, UnauthenticatedError
from central.common.problems import response_to
from central.ingest.services.reconciling import reconcile
from central.ingest.services.reporting import dump_of
from indexer.errors import StoreError

KEY_HEADER = "X-Aeterna-Server-Key"
_BODY_MAX_BYTES = 64 * 1024

_Operation = Callable[[dict[str, Any]], HttpResponse]


def _internal(operation: _Operation) -> Callable[[HttpRequest], HttpResponse]:
    """A POST view with a JSON body, authorised by the server key."""

    @csrf_exempt
    @wraps(operation)
    def view(request: HttpRequest) -> HttpResponse:
        try:
            _require_key(request)
            if request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            return operation(json_object(read_body(request, limit_bytes=_BODY_MAX_BYTES)))
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


@_internal
def dump_index(arguments: dict[str, Any]) -> HttpResponse:
    """The canonical dump of a repository."""
    names = arguments.get("organization"), arguments.get("repository")
    if not all(isinstance(name, str) for name in names):
        raise InvalidError("Give organization and repository as strings.")
    organization, repository = map(str, names)
    lines = dump_of(organization=organization, repository=repository)
    return HttpResponse("".join(f"{line}\n" for line in lines), content_type="application/x-ndjson")


@_internal
def reconcile_index(arguments: dict[str, Any]) -> HttpResponse:
    """Compare and, with `repair`, put right."""
    return JsonResponse(asdict(reconcile(repair=arguments.get("repair") is True)))
