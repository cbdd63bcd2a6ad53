"""The ASGI application: a whole request in one thread, and bodies refused before they are read."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.core.signals import request_finished, request_started

from central.asgi import application, body_limit

LIMIT = body_limit("/api/v1/search")


class Exchange:
    """One request to the application, as a server would make it."""

    def __init__(self, path: str, parts: Sequence[bytes] = (b"",), **headers: str) -> None:
        self.scope = {
            "type": "http",
            "method": "POST" if parts[0] else "GET",
            "path": path,
            "query_string": b"",
            "headers": [
                (b"host", b"localhost"),
                *(
                    (name.replace("_", "-").encode(), value.encode())
                    for name, value in headers.items()
                ),
            ],
        }
        self.parts = list(parts)
        self.sent: list[dict[str, Any]] = []

    async def _receive(self) -> dict[str, Any]:
        body = self.parts.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(self.parts)}

    async def _send(self, message: Any) -> None:
        self.sent.append(message)

    def run(self) -> int:
        """The response's status; 0 where there was none."""
        asyncio.run(application(self.scope, self._receive, self._send))
        return int(self.sent[0]["status"]) if self.sent else 0

    @property
    def document(self) -> Any:
        """The response's JSON."""
        return json.loads(b"".join(message.get("body", b"") for message in self.sent))


def test_request_is_answered_with_its_signals_in_order() -> None:
    seen: list[str] = []

    def started(**_: object) -> None:
        seen.append("started")

    def finished(**_: object) -> None:
        seen.append("finished")

    request_started.connect(started)
    request_finished.connect(finished)
    try:
        exchange = Exchange("/livez")
        assert exchange.run() == 200
    finally:
        request_started.disconnect(started)
        request_finished.disconnect(finished)
    assert exchange.document == {"status": "live"}
    assert seen == ["started", "finished"]


def test_body_that_says_it_is_too_large_is_refused_before_it_is_read() -> None:
    exchange = Exchange("/api/v1/search", [b"x"], content_length=str(LIMIT + 1))
    assert exchange.run() == 413
    assert exchange.parts == [b"x"]
    assert exchange.document["code"] == "too_large"
    assert exchange.document["instance"] == "/api/v1/search"


def test_body_of_unsaid_length_is_refused_as_soon_as_it_is_too_large() -> None:
    half = b"x" * (LIMIT // 2 + 1)
    exchange = Exchange("/api/v1/search", [half, half, half])
    assert exchange.run() == 413
    assert exchange.parts == [half]


@pytest.mark.parametrize("route", ["tree", "batches/1"])
def test_trees_and_batches_may_be_larger(route: str) -> None:
    assert body_limit(f"/api/v1/index/runs/0b9c/{route}") > 16 * LIMIT
    assert body_limit("/api/v1/index/runs/0b9c/embeddings") == LIMIT


def test_client_that_leaves_early_is_not_answered() -> None:
    exchange = Exchange("/api/v1/search", [b"x"])

    async def leave() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    exchange._receive = leave  # type: ignore[method-assign]
    assert exchange.run() == 0
    assert exchange.sent == []


def test_other_protocols_are_not_spoken() -> None:
    exchange = Exchange("/")
    exchange.scope["type"] = "websocket"
    with pytest.raises(ValueError, match="websocket"):
        exchange.run()
