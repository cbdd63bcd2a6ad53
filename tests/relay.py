"""TCP connections that are passed on to another address."""

import socket
import threading
from contextlib import suppress

_CHUNK_BYTES = 65_536


def relay(client: socket.socket, server: socket.socket) -> None:
    """Copy between two connections until both sides have ended theirs; closes neither."""
    answers = threading.Thread(target=copy, args=(server, client), daemon=True)
    answers.start()
    copy(client, server)
    answers.join()


def copy(source: socket.socket, target: socket.socket) -> None:
    """Copy until the source ends; then the target is told so."""
    with suppress(OSError):
        while content := source.recv(_CHUNK_BYTES):
            target.sendall(content)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
