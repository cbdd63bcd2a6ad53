"""The embedded server for clients that send no token: one that a file holds is put in.

The file may come later. Nothing else of a request is touched.
"""

import os
import sys
from pathlib import Path
from typing import Any

TOKEN_FILE = Path(os.environ["OPEN_TOKEN_FILE"])


class Opened:
    """The real application behind an Authorization header."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """ASGI's entry."""
        if scope["type"] == "http" and TOKEN_FILE.exists():
            token = TOKEN_FILE.read_text(encoding="ascii")
            bearer = (b"authorization", f"Bearer {token}".encode())
            scope = {**scope, "headers": [*scope["headers"], bearer]}
        await self._application(scope, receive, send)


if __name__ == "__main__":
    from central import asgi
    from central.serve import main

    asgi.application = Opened(asgi.application)  # type: ignore[assignment]
    sys.exit(main())
