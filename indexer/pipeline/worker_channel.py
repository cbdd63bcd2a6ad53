"""The socket between a process and a worker: messages, each a length and then as many bytes.

A message may bring a file descriptor. Every function raises OSError, or EOFError at the end.
"""

import socket
from struct import Struct
from typing import Final

_LENGTH: Final = Struct("!Q")


def send(channel: socket.socket, message: bytes) -> None:
    """Send a message."""
    channel.sendall(_LENGTH.pack(len(message)))
    channel.sendall(message)


def send_descriptor(channel: socket.socket, descriptor: int) -> None:
    """Send an empty message with a copy of a file descriptor."""
    socket.send_fds(channel, [_LENGTH.pack(0)], [descriptor])


def receive(channel: socket.socket) -> tuple[bytearray, list[int]]:
    """Return the next message, and the descriptors that it has brought."""
    head, descriptors, _, _ = socket.recv_fds(channel, _LENGTH.size, 1)
    if not head:
        raise EOFError
    head += _read(channel, _LENGTH.size - len(head))
    return _read(channel, *_LENGTH.unpack(head)), descriptors


def _read(channel: socket.socket, size: int) -> bytearray:
    message = bytearray(size)
    rest = memoryview(message)
    while rest:
        received = channel.recv_into(rest)
        if not received:
            raise EOFError
        rest = rest[received:]
    return message
