"""The body of an ASGI request, up to a limit."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import IO, Any

from django.core.exceptions import RequestAborted

from central.common.errors import InvalidError, TooLargeError
from indexer.limits import DECLARED_DIGITS


def check_declared(headers: Mapping[bytes, bytes], limit: int) -> None:
    """Raise TooLargeError where the length is declared, and greater; InvalidError if it is none."""
    declared = headers.get(b"content-length", b"").strip() or b"0"
    if not declared.isdigit():
        raise InvalidError("Content-Length must be a number of bytes.")
    if len(declared) > DECLARED_DIGITS or int(declared) > limit:
        raise _too_large(limit)


async def receive_body(
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]], body: IO[bytes], limit: int
) -> None:
    """Copy the request's body to `body`.

    Raises TooLargeError, and RequestAborted if the client leaves before it is complete.
    """
    size, is_more = 0, True
    while is_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAborted
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise _too_large(limit)
        body.write(part)
        is_more = message.get("more_body", False)
    body.seek(0)


def _too_large(limit: int) -> TooLargeError:
    return TooLargeError(f"The body is larger than {limit} bytes; send less.")
