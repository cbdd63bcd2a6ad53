"""Asking the embedded server what only who may read its data directory may ask.

Standard library only: the command line and management commands share it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

from central.runtime import ServerRecord

KEY_HEADER = "X-Aeterna-Server-Key"
# The key goes to the server alone, whatever proxy the environment names.
_OPENER = build_opener(ProxyHandler({}))


def ask(
    server: ServerRecord,
    directory: Path,
    path: str,
    arguments: Mapping[str, object],
    *,
    seconds: float,
) -> bytes:
    """POST `arguments` with the key of the data directory; the body of the answer.

    Raises urllib's HTTPError for a refusal and URLError where nobody answers.
    """
    key = (directory / "server_key").read_text(encoding="ascii").strip()
    request = Request(  # noqa: S310 (the address is in our own data directory)
        f"{server['url']}{path}",
        data=json.dumps(arguments).encode(),
        # The server may be bound to an address that is not among its ALLOWED_HOSTS.
        headers={KEY_HEADER: key, "Content-Type": "application/json", "Host": "localhost"},
        method="POST",
    )
    with _OPENER.open(request, timeout=seconds) as response:
        return bytes(response.read())
