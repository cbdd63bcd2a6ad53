"""Streams: made in one thread, sent as they are made, stopped with their reader."""

import asyncio
import threading
from collections.abc import Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any

import pytest
from django.core.exceptions import RequestAborted

from central.http import streams
from central.http.asgi import RequestThreads
from central.http.streams import (
    STREAM_PORTION_BYTES,
    made_in_threads,
    sent_in_time,
    while_connected,
)


def test_parts_come_in_order_from_request_threads() -> None:
    threads = set()

    def parts() -> Iterator[bytes]:
        for number in range(100):
            threads.add(threading.get_ident())
            yield b"%d" % number

    async def read() -> bytes:
        return b"".join([part async for part in made_in_threads(RequestThreads(), parts())])

    assert asyncio.run(read()) == b"".join(b"%d" % number for number in range(100))
    assert threading.get_ident() not in threads


def test_a_portion_is_read_before_the_next_one_is_made() -> None:
    made = []

    def parts() -> Iterator[bytes]:
        for number in range(1_000):
            made.append(number)
            yield b"x" * (STREAM_PORTION_BYTES // 4)

    async def read() -> None:
        async with aclosing(made_in_threads(RequestThreads(), parts())) as stream:  # type: ignore[type-var]
            await anext(stream)
            assert len(made) <= 4
            await anext(stream)
            assert len(made) <= 8

    asyncio.run(read())


def test_a_part_that_takes_long_is_sent_before_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "STREAM_PORTION_SECONDS", -1.0)

    async def read() -> list[bytes]:
        return [part async for part in made_in_threads(RequestThreads(), iter([b"a", b"b"]))]

    assert asyncio.run(read()) == [b"a", b"b"]


def test_a_reader_that_pauses_holds_no_thread() -> None:
    def parts() -> Iterator[bytes]:
        while True:
            yield b"x" * STREAM_PORTION_BYTES

    async def read() -> str:
        with ThreadPoolExecutor(1) as executor:
            threads = RequestThreads(executor)
            async with aclosing(made_in_threads(threads, parts())) as stream:  # type: ignore[type-var]
                await anext(stream)
                return await asyncio.wait_for(threads.run(lambda: "another request"), 20)

    assert asyncio.run(read()) == "another request"


def test_a_reader_that_leaves_ends_the_generator() -> None:
    ended = []

    def parts() -> Iterator[bytes]:
        try:
            while True:
                yield b"x" * STREAM_PORTION_BYTES
        finally:
            ended.append(threading.current_thread().name)

    async def read() -> None:
        async with aclosing(made_in_threads(RequestThreads(), parts())) as stream:  # type: ignore[type-var]
            await anext(stream)

    asyncio.run(read())
    [name] = ended
    assert name.startswith("request")


def test_what_fails_while_it_is_made_fails_for_the_reader() -> None:
    def parts() -> Iterator[bytes]:
        yield b"one"
        raise OSError("gone")

    async def read() -> list[bytes]:
        return [part async for part in made_in_threads(RequestThreads(), parts())]

    with pytest.raises(OSError, match="gone"):
        asyncio.run(read())


def test_a_reader_that_reads_nothing_ends_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STREAM_WAIT_SECONDS", 0.05)

    async def never(_: object) -> None:
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(sent_in_time(never)({"type": "http.response.body"}))


def test_a_reader_that_leaves_ends_a_stream_that_has_nothing_to_send() -> None:
    begun, ended = threading.Event(), threading.Event()

    def parts() -> Iterator[bytes]:
        try:
            while True:
                begun.set()
                yield b""
        finally:
            ended.set()

    async def send() -> None:
        async for part in made_in_threads(RequestThreads(), parts()):
            pytest.fail(f"{part!r} was sent")

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.to_thread(begun.wait)
        return {"type": "http.disconnect"}

    with pytest.raises(RequestAborted):
        asyncio.run(asyncio.wait_for(while_connected(send(), receive), 60))
    assert ended.is_set()


@pytest.mark.parametrize("error", [OSError, TimeoutError])
def test_what_fails_while_it_is_sent_fails_for_the_server(error: type[Exception]) -> None:
    async def send() -> None:
        raise error

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        return {}

    with pytest.raises(error):
        asyncio.run(while_connected(send(), receive))
