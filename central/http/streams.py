"""Streams that a view yields part by part: made in a request thread, sent by the event loop."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterable
from typing import Any, Protocol

from indexer.limits import STREAM_WAIT_SECONDS

_PARTS_AHEAD = 16


class Threads(Protocol):
    """The request threads: central.http.asgi.RequestThreads."""

    async def query(self, function: Callable[[], Any]) -> Any: ...


async def made_in_thread(threads: Threads, parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield parts that one thread makes, at most some ahead of the client.

    Django's own handler would make the whole list before it sends the first part. Raises what
    making a part raises. A reader that stops early stops the thread at its next part; one that
    reads nothing for STREAM_WAIT_SECONDS, too.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(_PARTS_AHEAD)
    is_read = True

    def make() -> None:
        try:
            for part in parts:
                if not room.acquire(timeout=STREAM_WAIT_SECONDS):
                    raise TimeoutError("The client reads nothing of the stream.")
                if not is_read:
                    return
                loop.call_soon_threadsafe(queue.put_nowait, part)
        finally:
            if isinstance(parts, Generator):
                parts.close()  # here: what it holds open, such as a transaction, is this thread's
            loop.call_soon_threadsafe(queue.put_nowait, None)

    making = asyncio.ensure_future(threads.query(make))
    try:
        while (part := await queue.get()) is not None:
            yield part
            room.release()
        await making
    finally:
        is_read = False
        room.release()
        await asyncio.wait([making])
