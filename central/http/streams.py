"""Streams that a view yields part by part: made in request threads, sent by the event loop."""

import asyncio
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from functools import partial
from typing import Any, Protocol

from indexer.limits import STREAM_PORTION_BYTES, STREAM_PORTION_SECONDS, STREAM_WAIT_SECONDS

Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]


class Threads(Protocol):
    """The request threads: central.http.asgi.RequestThreads."""

    async def query(self, function: Callable[[], Any]) -> Any: ...


async def made_in_threads(threads: Threads, parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield parts in portions, each of which one thread makes when the one before is sent.

    A slow reader holds neither a thread nor a database connection, so `parts` must have no
    transaction open between two parts. An empty part says that the next one takes longer: it lets
    others have the thread. Raises what making a part raises.
    """
    made = iter(parts)
    making: asyncio.Future[list[bytes]] | None = None
    try:
        while True:
            making = asyncio.ensure_future(threads.query(partial(_portion, made)))
            portion = await asyncio.shield(making)
            if not portion:
                return
            if content := b"".join(portion):
                yield content
    finally:
        if making:
            await asyncio.wait([making])
        if isinstance(made, Generator):
            await threads.query(made.close)


def _portion(parts: Iterator[bytes]) -> list[bytes]:
    portion: list[bytes] = []
    size, until = 0, time.monotonic() + STREAM_PORTION_SECONDS
    for part in parts:
        portion.append(part)
        size += len(part)
        if size >= STREAM_PORTION_BYTES or time.monotonic() > until:
            break
    return portion


async def sent_to_reader(sending: Coroutine[Any, Any, None], receive: Receive) -> None:
    """Send a stream; end it when its reader leaves, of which servers say nothing to `send`."""
    sender = asyncio.ensure_future(sending)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({sender, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        sender.cancel()
        leaving.cancel()
        await asyncio.wait({sender, leaving})
    if not sender.cancelled():
        sender.result()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def sent_in_time(send: Send) -> Send:
    """Return a `send` that raises TimeoutError if the client reads nothing for some seconds."""

    async def send_in_time(message: Mapping[str, Any]) -> None:
        async with asyncio.timeout(STREAM_WAIT_SECONDS):
            await send(message)

    return send_in_time
