"""Escaping of line separators in event streams, so that each event stays on one line.

JSON may contain U+0085, U+2028 and U+2029 unescaped. The protocol does not end a line at them, but
some readers do. For such a reader the rest of a line in a repository would be an event of the
server.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

_Message = MutableMapping[str, Any]
_Send = Callable[[_Message], Awaitable[None]]
_Application = Callable[[_Message, Any, _Send], Awaitable[None]]

_SEPARATORS: Final = {
    char.encode(): f"\\u{ord(char):04x}".encode() for char in ("\x85", "\u2028", "\u2029")
}


def on_one_line(json: bytes) -> bytes:
    """Escape the separators in JSON, where they occur only in strings."""
    for separator, escaped in _SEPARATORS.items():
        json = json.replace(separator, escaped)
    return json


class EventLines:
    """ASGI middleware that escapes each part of an event stream; a part is whole events."""

    def __init__(self, app: _Application) -> None:
        self._app = app

    async def __call__(self, scope: _Message, receive: Any, send: _Send) -> None:
        """Answer the request."""
        is_stream = False

        async def sent(message: _Message) -> None:
            nonlocal is_stream
            if message["type"] == "http.response.start":
                headers = dict(message.get("headers", ()))
                is_stream = headers.get(b"content-type", b"").startswith(b"text/event-stream")
            elif is_stream and message.get("body"):
                message["body"] = on_one_line(message["body"])
            await send(message)

        await self._app(scope, receive, sent)
