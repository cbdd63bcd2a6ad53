"""The threads in which requests wait for the database and the vector store."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

from django.db import close_old_connections

# Below the size of the database's pool, so that the workers beside them find a connection.
THREADS = 16

_Result = TypeVar("_Result")


class RequestThreads:
    """A number of kept threads for all that a process answers, whatever protocol it came by."""

    def __init__(self, executor: Executor | None = None) -> None:
        self._executor = executor or ThreadPoolExecutor(THREADS, thread_name_prefix="request")

    async def run(self, function: Callable[[], _Result]) -> _Result:
        """What `function` returns, called with the context variables of the caller.

        A caller that is cancelled waits no longer; the thread is free when `function` has ended.
        """
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, context.run, function)

    async def query(self, function: Callable[[], _Result]) -> _Result:
        """The same for what Django sends no signals about: gives the connection back at the end."""

        def run() -> _Result:
            try:
                return function()
            finally:
                close_old_connections()

        return await self.run(run)
