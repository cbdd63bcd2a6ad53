"""The threads in which requests wait for the database and the vector store."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

from django.db import close_old_connections

from central.common.callers import Caller, current
from central.common.turns import Turns
from indexer.limits import REQUESTS_AT_ONCE

_Result = TypeVar("_Result")
_Place = asyncio.Future[None]


class RequestThreads:
    """A number of kept threads for all that a process answers, whatever protocol it came by.

    Who is called for is `callers.current`: each in turn, and none has all threads.
    """

    def __init__(self, executor: Executor | None = None) -> None:
        self._executor = executor or ThreadPoolExecutor(
            REQUESTS_AT_ONCE, thread_name_prefix="request"
        )
        self._turns: Turns[_Place] = Turns()

    async def run(self, function: Callable[[], _Result]) -> _Result:
        """What `function` returns, called with the context variables of the caller.

        A caller that is cancelled waits no longer; the thread is free when `function` has ended.
        Raises UnavailableError where too many wait already.
        """
        caller = current.get()
        await self._enter(caller)
        loop = asyncio.get_running_loop()

        def leave(_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._leave, caller)

        running = self._executor.submit(contextvars.copy_context().run, function)
        running.add_done_callback(leave)
        return await asyncio.wrap_future(running)

    async def _enter(self, caller: Caller) -> None:
        if self._turns.enter(caller):
            return
        place: _Place = asyncio.get_running_loop().create_future()
        self._turns.wait(caller, place)
        try:
            await place
        except asyncio.CancelledError:
            if not self._turns.give_up(caller, place):  # a place came at the same moment
                self._leave(caller)
            raise

    def _leave(self, caller: Caller) -> None:
        place = self._turns.leave(caller)
        if place is not None and not place.done():  # who was cancelled passes the place on
            place.set_result(None)

    async def query(self, function: Callable[[], _Result]) -> _Result:
        """The same for what Django sends no signals about: gives the connection back at the end."""

        def run() -> _Result:
            try:
                return function()
            finally:
                close_old_connections()

        return await self.run(run)
