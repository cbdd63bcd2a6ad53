"""The socket that servers listen at."""

import socket

import pytest

from central.runtime.listening import CannotListenError, bound_socket, reachable_url


def test_connections_are_made_without_waiting_for_acknowledgements() -> None:
    """Asyncio sets TCP_NODELAY only where the socket names its protocol."""
    with bound_socket("127.0.0.1:0") as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_address_in_use_is_named() -> None:
    with bound_socket("127.0.0.1:0") as listener:
        port = listener.getsockname()[1]
        with (
            pytest.raises(CannotListenError, match=f"Cannot listen at 127.0.0.1:{port}"),
            bound_socket(f"127.0.0.1:{port}"),
        ):
            pass


@pytest.mark.parametrize(
    "bind", ["8000", ":8000", "localhost", "127.0.0.1:http", "h:65536", "h:-1"]
)
def test_address_that_is_none_is_said_with_what_to_write(bind: str) -> None:
    with pytest.raises(CannotListenError, match=r"127\.0\.0\.1:8000"), bound_socket(bind):
        pass


@pytest.mark.parametrize(
    ("bind", "host"),
    [("127.0.0.1:0", "127.0.0.1"), ("0.0.0.0:0", "127.0.0.1"), ("127.0.0.2:0", "127.0.0.2")],
)
def test_server_announces_an_address_that_can_be_reached(bind: str, host: str) -> None:
    with bound_socket(bind) as listener:
        assert reachable_url(listener) == f"http://{host}:{listener.getsockname()[1]}"
