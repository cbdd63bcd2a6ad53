"""Commands of embedded mode ask the running server, which alone has the vector store open."""

import json
from http import HTTPStatus
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from django.conf import settings

from central import runtime
from central.common.errors import ServiceError, UnavailableError
from central.ingest.views_internal import KEY_HEADER

_SECONDS = 600
# The key goes to the server alone, whatever proxy the environment names.
_OPENER = build_opener(ProxyHandler({}))


def ask_server(path: str, arguments: dict[str, Any]) -> bytes | None:
    """POST `arguments` to the server of this data directory; its answer, or None without one.

    Raises ServiceError with the server's own words. Only the embedded store needs asking: any
    other takes several processes.
    """
    server = runtime.running_server(settings.DATA_DIR)
    if server is None or not settings.VECTOR_STORE_URL.startswith("edge:"):
        return None
    key = (settings.DATA_DIR / "server_key").read_text(encoding="ascii").strip()
    request = Request(  # noqa: S310 (the address is in our own data directory)
        f"{server['url']}{path}",
        data=json.dumps(arguments).encode(),
        # The server may be bound to an address that is not among its ALLOWED_HOSTS.
        headers={KEY_HEADER: key, "Content-Type": "application/json", "Host": "localhost"},
        method="POST",
    )
    try:
        with _OPENER.open(request, timeout=_SECONDS) as response:
            return bytes(response.read())
    except HTTPError as exc:
        raise ServiceError(_detail(exc)) from exc
    except URLError as exc:
        raise UnavailableError(
            f"The server at {server['url']} (pid {server['pid']}) does not answer: {exc.reason}."
        ) from exc


def _detail(error: HTTPError) -> str:
    try:
        document = json.loads(error.read())
    except ValueError:
        return f"The server answered {error.code} {HTTPStatus(error.code).phrase}."
    return str(document.get("detail", document))
