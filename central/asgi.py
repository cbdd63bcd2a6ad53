"""ASGI entry point: the API and, at /mcp, the tools of agents. `make serve` and the containers."""

import os
import re
from typing import Any

import django
from django.conf import settings

from central.errors import UnauthenticatedError
from central.http.asgi import (
    RequestThreads,
    ThreadHandler,
)
from central.ingest.services import batches
from central.mcp.auth import Gate
from central.mcp.lazy_app import PATH, Mount
from central.tenancy.tokens import invalid_token, is_token
from indexer.limits import GITHUB_WEBHOOK_BYTES

_GITHUB_WEBHOOK = "/api/v1/github/webhook"
_STREAMED = re.compile(r"/api/v1/index/runs/[^/]+/(?P<what>tree|batches)(?:/|\Z)")


def admitted_bytes(path: str, authorization: str | None) -> int:
    """How many bytes a request to `path` may carry.

    Raises UnauthenticatedError where it may carry many but has no token, or none that could be
    one: whether it is known, the view asks.
    """
    if path == _GITHUB_WEBHOOK:
        return GITHUB_WEBHOOK_BYTES  # its signature is of the body, so that must be read
    streamed = _STREAMED.match(path)
    if streamed is None:
        return settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    _require_token(authorization)
    if streamed["what"] == "tree":
        return batches.body_limit(settings.TREE_MAX_BYTES)
    return batches.body_limit(settings.BATCH_MAX_BYTES)


def _require_token(authorization: str | None) -> None:
    if authorization is None:
        raise UnauthenticatedError("Send 'Authorization: Bearer <api token>'.")
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not is_token(token):
        raise invalid_token()


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251
django.setup(set_prefix=False)


class Application:
    """Gives each request to who answers it; both use the same threads: one limit for all."""

    def __init__(self, threads: RequestThreads) -> None:
        self._handler = ThreadHandler(admitted_bytes=admitted_bytes, threads=threads)
        self._mcp = Mount(threads)
        self._gate = Gate(self._mcp, threads)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """ASGI's entry."""
        if scope["type"] == "lifespan":
            await self._mcp.live(receive, send)
        elif scope["type"] == "http" and _path(scope) == PATH:
            await self._gate(scope, receive, send)
        else:
            await self._handler(scope, receive, send)


def _path(scope: dict[str, Any]) -> str:
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


application = Application(RequestThreads())
