"""Streams made part by part in request threads, and answers that wait: sent by the event loop."""

import asyncio
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
)
from contextlib import suppress
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from django.core.exceptions import RequestAborted
from rest_framework.response import Response

from central.observability.metrics import DEFERRED
from central.waits import Wait, Waits

STREAM_WAIT_SECONDS: Final = 30.0  # for a client that reads nothing of its answer
STREAM_PORTION_BYTES: Final = 256 * 1024  # made ahead of the client, which holds no thread then
STREAM_PORTION_SECONDS: Final = 0.2


_Result = TypeVar("_Result")
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


class DeferredResponse(Response):
    """What a view answers for now: the present state, from which its request waits in `waits`.

    After that its request, without its query, is answered instead.
    """

    is_deferred: Final = True  # as central.observability.requests knows it

    def __init__(self, data: Any, *, wait: Wait, waits: Waits, seconds: float) -> None:
        super().__init__(data)
        self._wait = wait
        self._waits = waits
        self._seconds = seconds

    async def over(self, receive: Receive) -> None:
        """Return when it is woken, or after its seconds. RequestAborted: the client left."""
        try:
            with DEFERRED.track_inprogress(), suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await while_connected(asyncio.wrap_future(self._wait.woken), receive)
        finally:
            self._waits.leave(self._wait)


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


async def while_connected(work: Awaitable[_Result], receive: Receive) -> _Result:
    """Return the result of `work`; cancel it when the client leaves, which `receive` alone tells.

    Raises RequestAborted if the client left.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.wait({working, leaving})
    if working.cancelled():
        raise RequestAborted
    return working.result()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def sent_in_time(send: Send) -> Send:
    """Return a `send` that raises TimeoutError if the client reads nothing for some seconds."""

    async def send_in_time(message: Mapping[str, Any]) -> None:
        async with asyncio.timeout(STREAM_WAIT_SECONDS):
            await send(message)

    return send_in_time
