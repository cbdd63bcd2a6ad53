"""The socket that servers listen at."""

import socket

import pytest

from central.runtime import listening
from central.runtime.listening import CannotListenError, bound_sockets, reachable_url


def test_connections_are_made_without_waiting_for_acknowledgements() -> None:
    """Asyncio sets TCP_NODELAY only where the socket names its protocol."""
    with bound_sockets("[::]:0") as listeners:
        for listener in listeners:
            assert listener.proto == socket.IPPROTO_TCP


def test_address_in_use_is_named() -> None:
    with bound_sockets("127.0.0.1:0") as (listener,):
        port = listener.getsockname()[1]
        with (
            pytest.raises(CannotListenError, match=f"Cannot listen at 127.0.0.1:{port}"),
            bound_sockets(f"127.0.0.1:{port}"),
        ):
            pass


@pytest.mark.parametrize(
    "bind", ["8000", ":8000", "localhost", "127.0.0.1:http", "h:65536", "h:-1"]
)
def test_address_that_is_none_is_said_with_what_to_write(bind: str) -> None:
    with pytest.raises(CannotListenError, match=r"127\.0\.0\.1:8000"), bound_sockets(bind):
        pass


@pytest.mark.parametrize(
    ("bind", "host"),
    [
        ("127.0.0.1:0", "127.0.0.1"),
        ("0.0.0.0:0", "127.0.0.1"),
        ("127.0.0.2:0", "127.0.0.2"),
        ("[::1]:0", "[::1]"),
        ("[::]:0", "127.0.0.1"),
    ],
)
def test_server_announces_an_address_that_can_be_reached(bind: str, host: str) -> None:
    with bound_sockets(bind) as (listener, *_):
        assert reachable_url(listener) == f"http://{host}:{listener.getsockname()[1]}"


def test_all_addresses_of_both_protocols_are_listened_at_and_clients_keep_their_own() -> None:
    """An IPv4 client that appears as ::ffff:127.0.0.1 would be in no network of trusted proxies."""
    with bound_sockets("[::]:0") as listeners:
        port = listeners[0].getsockname()[1]
        for listener, address in zip(listeners, ("127.0.0.1", "::1"), strict=True):
            with socket.create_connection((address, port), timeout=10):
                accepted, client = listener.accept()
                accepted.close()
            assert client[0] == address


def test_a_machine_without_ipv6_is_listened_at_by_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "has_ipv6", lambda: False)
    with bound_sockets("[::]:0") as (listener,):
        assert listener.family == socket.AF_INET
