"""Listening sockets. Standard library only: the sidecar uses them, too."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


class CannotListenError(Exception):
    """`host:port` is malformed or unavailable; the message does not say where it is set."""


def address(bind: str) -> tuple[str, int]:
    """Parse `host:port`, an IPv6 host in brackets. Raises CannotListenError."""
    host, _, port = bind.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise CannotListenError(
            f"{bind!r} is no address: write host and port, such as 127.0.0.1:8000"
        )
    return host, int(port)


@contextmanager
def bound_socket(bind: str) -> Iterator[socket.socket]:
    """Open a listening socket; port 0 takes a free one. Raises CannotListenError."""
    host, port = address(bind)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio switches Nagle's algorithm off: else a response, written as
    # head and body, waits 40 ms for the client's delayed acknowledgement.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as exc:
            raise CannotListenError(f"Cannot listen at {bind}: {exc.strerror}") from exc
        listener.listen(256)
        yield listener


def reachable_host(host: str) -> str:
    """Return the host at which this machine reaches a socket bound to `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound to here


def reachable_url(listener: socket.socket) -> str:
    """Return the URL at which this machine reaches `listener`."""
    host, port = listener.getsockname()[:2]
    host = reachable_host(host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
