"""A relay before PostgreSQL that passes everything on but notifications.

As PgBouncer does that gives a session for each transaction (`pool_mode = transaction`).
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Final

import pytest
from django.db import connection

from tests.relay import copy

_NOTIFICATION: Final = b"A"  # NotificationResponse of the protocol's messages
_HEAD_BYTES: Final = 5  # type, and the length of the rest with its own four bytes


@contextmanager
def deaf_sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """New sessions with the database, of all threads, get no notification."""
    connection.ensure_connection()
    info = connection.connection.info
    target = f"{info.host}/.s.PGSQL.{info.port}"

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            with socket.socket(socket.AF_UNIX) as server:
                server.connect(target)
                asking = threading.Thread(target=copy, args=(self.request, server), daemon=True)
                asking.start()
                _pass_on(server, self.request)
                asking.join()

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as relay, monkeypatch.context() as patch:
        thread = threading.Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        host, port = relay.server_address[:2]
        settings = connection.settings_dict
        plain = {"sslmode": "disable", "gssencmode": "disable"}
        patch.setitem(settings, "OPTIONS", {**settings["OPTIONS"], **plain})
        patch.setitem(settings, "HOST", host)
        patch.setitem(settings, "PORT", port)
        try:
            yield
        finally:
            relay.shutdown()
            thread.join()


def _pass_on(server: socket.socket, client: socket.socket) -> None:
    with suppress(OSError), server.makefile("rb") as messages:
        while head := messages.read(_HEAD_BYTES):
            rest = messages.read(int.from_bytes(head[1:]) - 4)
            if not head.startswith(_NOTIFICATION):
                client.sendall(head + rest)
    with suppress(OSError):
        client.shutdown(socket.SHUT_WR)
