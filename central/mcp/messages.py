"""Refusals of requests that are no single message of MCP, each with what to send instead.

They come before the SDK, which answers some of them with nothing, some with its own classes' names,
and takes a request whose id is null for a notification.
"""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from django.http import JsonResponse
from starlette.datastructures import Headers

REVISIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
_PARSE_ERROR: Final = -32700  # https://www.jsonrpc.org/specification#error_object
_INVALID_REQUEST: Final = -32600
_UNSUPPORTED_REVISION: Final = -32022  # of MCP
_JSON: Final = "application/json"
ACCEPTED: Final = f"{_JSON}, text/event-stream"  # an answer is either, as the SDK chooses


def refused_message(headers: Headers, body: bytes) -> JsonResponse | None:
    """Return the JSON-RPC error for a request that is not one message; None if it is."""
    if not _accepts_answers(headers.getlist("Accept")):
        return _error(f"Send `Accept: {ACCEPTED}`.", status=HTTPStatus.NOT_ACCEPTABLE)
    if headers.get("Content-Type", "").partition(";")[0].strip().lower() != _JSON:
        return _error(f"Send `Content-Type: {_JSON}`.", status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return _error("The body must be a JSON-RPC message in UTF-8.", code=_PARSE_ERROR)
    return _refused_revision(headers, message) or _refused_envelope(message)


def _accepts_answers(accept: Sequence[str]) -> bool:
    """Whether the headers name both types; without a header, a client takes any."""
    parts = ",".join(accept or ["*/*"]).split(",")
    types = {part.partition(";")[0].strip().lower() for part in parts}
    return all(
        types & {kind, f"{kind.partition('/')[0]}/*", "*/*"} for kind in ACCEPTED.split(", ")
    )


def _refused_revision(headers: Mapping[str, str], message: Any) -> JsonResponse | None:
    revision = headers.get("MCP-Protocol-Version", REVISIONS[-1])
    if revision in REVISIONS:
        return None
    return _error(
        f"This revision of MCP is not supported; send one of {', '.join(REVISIONS)} as "
        "MCP-Protocol-Version.",
        code=_UNSUPPORTED_REVISION,
        of=message,
        data={"supported": list(REVISIONS), "requested": revision[:100]},
    )


def _refused_envelope(message: Any) -> JsonResponse | None:
    if isinstance(message, list):
        return _error("Send each message in a request of its own: batches are not supported.")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return _error('Send a JSON-RPC message: an object with `"jsonrpc": "2.0"`.', of=message)
    if "method" in message and "id" in message and _id_of(message) is None:
        return _error(
            "The `id` of a request must be a string or a whole number; leave it out of a "
            "notification."
        )
    return None


def _id_of(message: Any) -> str | int | None:
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, (str, int)) and not isinstance(found, bool) else None


def _error(
    text: str,
    *,
    code: int = _INVALID_REQUEST,
    status: HTTPStatus = HTTPStatus.BAD_REQUEST,
    of: Any = None,
    data: Mapping[str, object] | None = None,
) -> JsonResponse:
    error = {"code": code, "message": text} | ({"data": data} if data else {})
    return JsonResponse({"jsonrpc": "2.0", "id": _id_of(of), "error": error}, status=status)
