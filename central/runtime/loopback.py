"""Requests to the internal routes of the embedded server, with the key of its data directory.

Standard library only: the command line and management commands share it.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

from central.runtime.data_directory import ServerRecord

_SECRET = re.compile(r"[!-~]+")
KEY_HEADER = "X-Aeterna-Server-Key"
# The key goes to the server alone, whatever proxy the environment names.
_OPENER = build_opener(ProxyHandler({}))


class NoKeyError(Exception):
    """The key of the data directory cannot be read; the message says what to do."""


def ask(
    server: ServerRecord,
    directory: Path,
    path: str,
    arguments: Mapping[str, object],
    *,
    seconds: float,
) -> bytes:
    """POST `arguments` with the key of the data directory; return the body of the answer.

    Raises NoKeyError, urllib's HTTPError for a refusal, and OSError or HTTPException if no
    server answers.
    """
    key = _key(directory / "server_key")
    request = Request(  # noqa: S310 (the address is in our own data directory)
        f"{server['url']}{path}",
        data=json.dumps(arguments).encode(),
        # The server may be bound to an address that is not among its ALLOWED_HOSTS.
        headers={KEY_HEADER: key, "Content-Type": "application/json", "Host": "localhost"},
        method="POST",
    )
    with _OPENER.open(request, timeout=seconds) as response:
        return bytes(response.read())


def _key(path: Path) -> str:
    try:
        key = path.read_text(encoding="latin-1").strip()
    except OSError as exc:
        raise NoKeyError(
            f"{path} cannot be read ({exc.strerror}): run this as the user who runs the service"
        ) from exc
    if not _SECRET.fullmatch(key):
        raise NoKeyError(f"{path} is damaged: end the service, remove that file, and start again")
    return key
