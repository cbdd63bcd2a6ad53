"""Messages between a process and its store process: pickled, over a socket pair."""

import pickle
import socket
import struct
from typing import Any, NamedTuple

_LENGTH = struct.Struct("!Q")
_BUFFER = 64 * 1024


class Reply(NamedTuple):
    """The value that a call returned or, if `error` is set, raised."""

    result: Any = None
    error: Exception | None = None


class Channel:
    """One end. Each request waits for its answer, so that nothing is read ahead.

    A message takes one system call to send and mostly one to receive: after each call, a thread of
    a busy process waits for the interpreter lock.
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._reader = end.makefile("rb", _BUFFER)

    def set_timeout(self, seconds: float) -> None:
        """Make `send` and `receive` raise TimeoutError after `seconds` without progress.

        The channel is unusable afterwards: the answer may still arrive.
        """
        self._socket.settimeout(seconds)

    def fileno(self) -> int:
        """Return the socket's descriptor, for a selector."""
        return self._socket.fileno()

    def send(self, message: bytes) -> None:
        """Send an encoded message. Raises OSError if the other end is closed."""
        self._socket.sendall(message)

    def receive(self) -> Any:
        """Return the next message. Raises EOFError or OSError if the other end is closed."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        return pickle.loads(self._read(length))  # noqa: S301 - from this program's other process

    def shut_down(self) -> None:
        """Close both directions, which wakes readers at either end."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Release the descriptor."""
        self._reader.close()
        self._socket.close()

    def _read(self, length: int) -> bytes:
        data: bytes = self._reader.read(length)
        if len(data) < length:
            raise EOFError
        return data


def encode(message: object) -> bytes:
    """Encode a message for `Channel.send`."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body
