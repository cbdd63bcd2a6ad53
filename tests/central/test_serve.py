"""How the embedded server listens."""

import socket

import pytest

from central.serve import bound_socket


def test_connections_are_made_without_waiting_for_acknowledgements() -> None:
    """Asyncio sets TCP_NODELAY only where the socket names its protocol."""
    with bound_socket("127.0.0.1:0") as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_address_in_use_is_said_with_what_to_change() -> None:
    with bound_socket("127.0.0.1:0") as listener:
        port = listener.getsockname()[1]
        with pytest.raises(SystemExit, match="AETERNA_BIND"), bound_socket(f"127.0.0.1:{port}"):
            pass
