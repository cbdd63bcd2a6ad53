"""Streams that a view yields part by part: made in a request thread, sent by the event loop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterable
from typing import Any, Protocol

_PARTS_AHEAD = 16


class Threads(Protocol):
    """The request threads: central.http.asgi.RequestThreads."""

    async def query(self, function: Callable[[], Any]) -> Any: ...


async def made_in_thread(threads: Threads, parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield parts that one thread makes, at most some ahead of the client.

    Django's own handler would make the whole list before it sends the first part. Raises what
    making a part raises. A reader that stops early stops the thread at its next part.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(_PARTS_AHEAD)
    is_read = True

    def make() -> None:
        try:
            for part in parts:
                if not is_read:
                    return
                asyncio.run_coroutine_threadsafe(queue.put(part), loop).result()
        finally:
            if isinstance(parts, Generator):
                parts.close()  # here: what it holds open, such as a transaction, is this thread's
            asyncio.run_coroutine_threadsafe(queue.put(None), loop).result()

    making = asyncio.ensure_future(threads.query(make))
    try:
        while (part := await queue.get()) is not None:
            yield part
        await making
    finally:
        is_read = False
        while not making.done():  # it may wait for room
            while not queue.empty():
                queue.get_nowait()
            await asyncio.wait([making], timeout=0.05)
