"""Commands of embedded mode ask the running server, which alone has the vector store open."""

import json
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from django.conf import settings

from central import loopback, runtime
from central.common.errors import ServiceError, UnavailableError

_SECONDS = 600


def ask_server(path: str, arguments: dict[str, Any]) -> bytes | None:
    """POST `arguments` to the server of this data directory; its answer, or None without one.

    Raises ServiceError with the server's own words. Only the embedded store needs asking: any
    other takes several processes.
    """
    server = runtime.running_server(settings.DATA_DIR)
    if server is None or not settings.VECTOR_STORE_URL.startswith("edge:"):
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
