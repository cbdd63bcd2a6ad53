"""Commands that the embedded server runs for another process."""

import json
from dataclasses import asdict
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from django.conf import settings
from django.http import HttpResponse, JsonResponse

from central.corpus.backends import is_store_embedded
from central.errors import InvalidError, ServiceError, UnavailableError
from central.http.internal import internal
from central.maintenance.reconcile import dump_of, reconcile
from central.runtime import data_directory, loopback

_SECONDS = 600


def ask_server(path: str, arguments: dict[str, Any]) -> bytes | None:
    """POST `arguments` to this data directory's server; returns its answer, None without one.

    Raises ServiceError with the server's detail. Only the embedded store is limited to one process.
    """
    server = data_directory.running_server(settings.DATA_DIR)
    if server is None or not is_store_embedded():
        return None
    try:
        return loopback.ask(server, settings.DATA_DIR, path, arguments, seconds=_SECONDS)
    except loopback.NoKeyError as exc:
        raise ServiceError(f"{exc}.") from exc
    except HTTPError as exc:
        raise ServiceError(_detail(exc)) from exc
    except (OSError, HTTPException) as exc:
        reason = getattr(exc, "reason", exc)
        raise UnavailableError(
            f"The server at {server['url']} (pid {server['pid']}) does not answer: {reason}."
        ) from exc


def _detail(error: HTTPError) -> str:
    try:
        document = json.loads(error.read())
    except ValueError:
        return f"The server answered {error.code} {HTTPStatus(error.code).phrase}."
    return str(document.get("detail", document))


@internal
def dump_index(arguments: dict[str, Any]) -> HttpResponse:
    """Return the canonical dump of a repository."""
    names = {key: arguments.get(key, "") for key in ("organization", "repository", "ref")}
    if not all(isinstance(name, str) for name in names.values()):
        raise InvalidError("Give `organization`, `repository` and `ref` as strings.")
    lines = dump_of(**names)
    return HttpResponse("".join(f"{line}\n" for line in lines), content_type="application/x-ndjson")


@internal
def reconcile_index(arguments: dict[str, Any]) -> HttpResponse:
    """Reconcile; with `repair` also correct differences."""
    return JsonResponse(asdict(reconcile(repair=arguments.get("repair") is True)))
