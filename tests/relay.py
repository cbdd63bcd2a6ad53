"""TCP connections that are passed on to another address."""

import socket
import threading
from contextlib import suppress

_CHUNK_BYTES = 65_536


def relay(client: socket.socket, server: socket.socket) -> None:
    """Copy between two connections until both sides have ended theirs; closes neither."""
    answers = threading.Thread(target=_copy, args=(server, client), daemon=True)
    answers.start()
    _copy(client, server)
    answers.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while content := source.recv(_CHUNK_BYTES):
            target.sendall(content)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
