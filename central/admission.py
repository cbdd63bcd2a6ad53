"""Which requests have their body read at all, and how much of it: the same for ASGI and WSGI."""

import re

from django.conf import settings

from central.common.errors import UnauthenticatedError
from central.ingest.services import batches
from central.tenancy.tokens import is_token, unknown_token
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
        raise unknown_token()
