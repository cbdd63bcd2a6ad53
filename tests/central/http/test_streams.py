"""Streams: made in one thread, sent as they are made, stopped with their reader."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from central.http import streams
from central.http.asgi import RequestThreads
from central.http.streams import made_in_thread


def test_parts_come_in_order_from_one_thread() -> None:
    threads = set()

    def parts() -> Iterator[bytes]:
        for number in range(100):
            threads.add(threading.get_ident())
            yield b"%d" % number

    async def read() -> list[bytes]:
        return [part async for part in made_in_thread(RequestThreads(), parts())]

    assert asyncio.run(read()) == [b"%d" % number for number in range(100)]
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_part_is_read_before_the_next_ones_are_made() -> None:
    made = []

    def parts() -> Iterator[bytes]:
        for number in range(1_000):
            made.append(number)
            yield b"x"

    async def read() -> int:
        async with aclosing(made_in_thread(RequestThreads(), parts())) as stream:  # type: ignore[type-var]
            await anext(stream)
            await asyncio.sleep(0.2)
            return len(made)

    assert asyncio.run(read()) < 30


def test_a_reader_that_leaves_ends_the_generator_in_its_own_thread() -> None:
    ended = []

    def parts() -> Iterator[bytes]:
        try:
            while True:
                yield threading.current_thread().name.encode()
        finally:
            ended.append(threading.current_thread().name.encode())

    async def read() -> bytes:
        async with aclosing(made_in_thread(RequestThreads(), parts())) as stream:  # type: ignore[type-var]
            return await anext(stream)

    name = asyncio.run(asyncio.wait_for(read(), 10))
    assert ended == [name]


def test_what_fails_while_it_is_made_fails_for_the_reader() -> None:
    def parts() -> Iterator[bytes]:
        yield b"one"
        raise OSError("gone")

    async def read() -> list[bytes]:
        return [part async for part in made_in_thread(RequestThreads(), parts())]

    with pytest.raises(OSError, match="gone"):
        asyncio.run(read())


def test_a_reader_that_reads_nothing_ends_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STREAM_WAIT_SECONDS", 0.05)
    ended = threading.Event()

    def parts() -> Iterator[bytes]:
        try:
            while True:
                yield b"x"
        finally:
            ended.set()

    async def read() -> None:
        stream = made_in_thread(RequestThreads(), parts())
        await anext(stream)
        await asyncio.to_thread(ended.wait, 10)
        async for _ in stream:
            pass

    with pytest.raises(TimeoutError, match="reads nothing"):
        asyncio.run(read())
    assert ended.is_set()
