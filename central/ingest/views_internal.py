"""What management commands ask of the embedded server, which alone may open the store."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse, JsonResponse

from central.common.errors import InvalidError
from central.common.internal import internal
from central.ingest.services.reconciling import reconcile
from central.ingest.services.reporting import dump_of


@internal
def dump_index(arguments: dict[str, Any]) -> HttpResponse:
    """The canonical dump of a repository."""
    names = arguments.get("organization"), arguments.get("repository")
    if not all(isinstance(name, str) for name in names):
        raise InvalidError("Give organization and repository as strings.")
    organization, repository = map(str, names)
    lines = dump_of(organization=organization, repository=repository)
    return HttpResponse("".join(f"{line}\n" for line in lines), content_type="application/x-ndjson")


@internal
def reconcile_index(arguments: dict[str, Any]) -> HttpResponse:
    """Compare and, with `repair`, put right."""
    return JsonResponse(asdict(reconcile(repair=arguments.get("repair") is True)))
