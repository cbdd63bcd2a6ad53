"""Listening sockets. Standard library only: the sidecar uses them, too."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_ANY = ("0.0.0.0", "::")  # noqa: S104 - what the configuration says, not what is bound to here


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
def bound_sockets(bind: str) -> Iterator[list[socket.socket]]:
    """Open the listening sockets of `bind`; port 0 takes a free one. Raises CannotListenError.

    `::` is every address of both protocols, as two sockets: with one for both, the addresses of
    IPv4 clients would be written as IPv6 and be in no IPv4 network. IPv4 alone where the machine
    has no IPv6.
    """
    host, port = address(bind)
    with ExitStack() as stack:
        sockets: list[socket.socket] = []
        for each in _ANY if host == "::" else (host,):
            if sockets and not has_ipv6():
                break
            try:
                listener = stack.enter_context(_listening(each, port))
            except OSError as exc:
                raise CannotListenError(f"Cannot listen at {bind}: {exc.strerror}") from exc
            sockets.append(listener)
            port = listener.getsockname()[1]
        yield sockets


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio switches Nagle's algorithm off: else a response, written as
    # head and body, waits 40 ms for the client's delayed acknowledgement.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((host, port))
        listener.listen(256)
        yield listener


def has_ipv6() -> bool:
    """Return whether a socket can be bound to `::`."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::", 0))
    except OSError:
        return False
    return True


def reachable_host(host: str) -> str:
    """Return the host at which this machine reaches the sockets of `host`."""
    return "127.0.0.1" if host in _ANY else host


def reachable_url(listener: socket.socket) -> str:
    """Return the URL at which this machine reaches `listener`."""
    host, port = listener.getsockname()[:2]
    return f"http://{url_host(reachable_host(host))}:{port}"


def url_host(host: str) -> str:
    """Return `host` as it stands in URLs and in the header Host: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
