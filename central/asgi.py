"""ASGI entry point: the API and, at /mcp, the tools of agents. `make serve` and the containers."""

import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251
django.setup(set_prefix=False)

from central.http.asgi import RequestThreads, ThreadHandler  # noqa: E402
from central.mcp.auth import McpAuth  # noqa: E402
from central.mcp.lazy_app import PATHS, LazyApp  # noqa: E402
from central.web.errors import refusal  # noqa: E402


class Application:
    """Django and /mcp as one ASGI application, on the same threads: one limit for both."""

    def __init__(self, threads: RequestThreads) -> None:
        self._handler = ThreadHandler(threads, refusal)
        self._mcp = LazyApp(threads)
        self._gate = McpAuth(self._mcp, threads)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Dispatch one ASGI connection."""
        if scope["type"] == "lifespan":
            await self._mcp.live(receive, send)
        elif scope["type"] == "http" and scope["path"] in PATHS:
            await self._gate(scope, receive, send)
        else:
            await self._handler(scope, receive, send)


application = Application(RequestThreads())
