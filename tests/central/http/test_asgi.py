"""The ASGI application: a whole request in one thread, and bodies refused before they are read."""

import asyncio
import gc
import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.http import HttpRequest
from pytest_django import Settings
from rest_framework.request import Request
from rest_framework.views import APIView

from central.asgi import application
from central.errors import UnauthenticatedError
from central.http import space, streams
from central.http.bodies import max_body_bytes
from central.http.space import BODY_FREE_BYTES
from central.tenancy.tokens import new_token
from tests.central.factories import ApiTokenFactory

LIMIT = max_body_bytes("/api/v1/search", None)
RUN = "/api/v1/index/runs/0b9c"


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

    async def start(self) -> None:
        """Have it answered."""
        await application(self.scope, self._receive, self._send)

    def run(self) -> int:
        """The response's status; 0 where there was none."""
        asyncio.run(self.start())
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


@pytest.mark.django_db(transaction=True)
def test_an_answered_request_leaves_no_request_or_view_to_the_garbage_collector() -> None:
    """A walk of the collector stops all threads, probes included."""
    token = new_token()
    organization = ApiTokenFactory.create(token=token).organization

    def status() -> int:
        exchange = Exchange("/api/v1/index/status", authorization=f"Bearer {token}")
        exchange.scope["query_string"] = f"org_id={organization.slug}".encode()
        return exchange.run()

    def requests() -> set[int]:
        kinds = (HttpRequest, Request, APIView)
        return {id(one) for one in gc.get_objects() if issubclass(type(one), kinds)}

    assert status() == 200
    gc.collect()
    gc.disable()
    try:
        before = requests()
        assert status() == 200
        left = requests() - before
    finally:
        gc.enable()
    assert left == set()


def test_body_that_says_it_is_too_large_is_refused_before_it_is_read() -> None:
    exchange = Exchange("/api/v1/search", [b"x"], content_length=str(LIMIT + 1))
    assert exchange.run() == 413
    assert exchange.parts == [b"x"]
    assert exchange.document["code"] == "too_large"
    assert exchange.document["instance"] == "/api/v1/search"


@pytest.mark.parametrize(
    ("length", "status"), [("x", 400), ("-1", 400), ("1,1", 400), ("\xb2", 400), ("9" * 5_000, 413)]
)
@pytest.mark.parametrize("path", ["/api/v1/search", "/sign-in", "/nowhere"])
def test_a_length_that_is_no_number_of_bytes_is_refused(
    path: str, length: str, status: int
) -> None:
    exchange = Exchange(path, [b"x"], content_length=length)
    assert exchange.run() == status
    assert exchange.parts == [b"x"]


def test_body_of_unsaid_length_is_refused_as_soon_as_it_is_too_large() -> None:
    half = b"x" * (LIMIT // 2 + 1)
    exchange = Exchange("/api/v1/search", [half, half, half])
    assert exchange.run() == 413
    assert exchange.parts == [half]


def test_batches_may_be_larger_and_trees_larger_still(settings: Settings) -> None:
    header = f"Bearer {new_token()}"
    tree, batch = (max_body_bytes(f"{RUN}/{what}", header) for what in ("tree", "batches/1"))
    assert settings.BATCH_MAX_BYTES < batch < settings.BATCH_MAX_BYTES * 1.1
    assert settings.TREE_MAX_BYTES < tree < settings.TREE_MAX_BYTES * 1.1
    assert max_body_bytes(f"{RUN}/embeddings", header) == LIMIT


@pytest.mark.parametrize("path", [f"{RUN}/tree", f"{RUN}/batches/1"])
@pytest.mark.parametrize("header", [None, "", "Bearer x", f"Basic aet_{'a' * 43}"])
def test_strangers_large_body_is_refused_before_it_is_read(path: str, header: str | None) -> None:
    headers = {} if header is None else {"authorization": header}
    exchange = Exchange(path, [b"x"], **headers)
    assert exchange.run() == 401
    assert exchange.parts == [b"x"]
    assert exchange.document["code"] == ("unauthenticated" if header is None else "invalid_token")
    with pytest.raises(UnauthenticatedError):
        max_body_bytes(path, header)


def test_a_content_type_with_an_unknown_charset_is_a_bad_request() -> None:
    assert Exchange("/api/v1/search", [b"{}"], content_type="a/b; charset*=bogus''x").run() == 400


def test_client_that_leaves_early_is_not_answered() -> None:
    exchange = Exchange("/api/v1/search", [b"x"])

    async def leave() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    exchange._receive = leave  # type: ignore[method-assign]
    assert exchange.run() == 0
    assert exchange.sent == []


def test_bodies_of_strangers_fill_half_of_the_space_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A token that is made up is written as a token, so that its body is read."""
    monkeypatch.setattr(space, "BODIES_BYTES", 4 * BODY_FREE_BYTES)
    part = b"x" * BODY_FREE_BYTES

    async def two_uploads() -> list[int]:
        waiting = asyncio.Event()
        leaving = asyncio.Event()

        def upload(number: int) -> Exchange:
            header = f"Bearer {new_token()}"
            return Exchange(f"{RUN}/batches/{number}", [part] * 3, authorization=header)

        first, second = upload(1), upload(2)

        async def stalls() -> dict[str, Any]:
            if len(first.parts) > 1:
                first.parts.pop()
                return {"type": "http.request", "body": part, "more_body": True}
            waiting.set()
            await leaving.wait()
            return {"type": "http.disconnect"}

        async def run(one: Exchange, receive: Any) -> int:
            await application(one.scope, receive, one._send)
            return int(one.sent[0]["status"]) if one.sent else 0

        stalled = asyncio.create_task(run(first, stalls))
        await waiting.wait()
        refused = await run(second, second._receive)
        leaving.set()
        return [refused, await stalled]

    assert asyncio.run(two_uploads()) == [503, 0]


def test_an_answer_that_nobody_reads_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STREAM_WAIT_SECONDS", 0.01)
    exchange = Exchange("/nowhere")

    async def never(message: Any) -> None:
        await asyncio.get_running_loop().create_future()

    exchange._send = never  # type: ignore[method-assign]
    with pytest.raises(TimeoutError):
        exchange.run()


def test_other_protocols_are_not_spoken() -> None:
    exchange = Exchange("/")
    exchange.scope["type"] = "websocket"
    with pytest.raises(ValueError, match="websocket"):
        exchange.run()
