"""The MCP application, loaded at its first request and ended with the process."""

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from central.http.asgi import RequestThreads

PATH: Final = "/mcp"
PATHS: Final = (PATH, f"{PATH}/")  # some clients end every address so
_APPLICATION: Final = "central.mcp.app"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class LazyApp:
    """An ASGI application that starts at its first request and ends with the lifespan.

    The SDK takes a second to import, so servers without MCP clients never load it.
    """

    def __init__(self, threads: RequestThreads) -> None:
        self._threads = threads
        self._begun: asyncio.Future[App] | None = None
        self._ending = asyncio.Event()
        self._life: asyncio.Task[None] | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._begun is None or (self._begun.done() and self._begun.exception()):
            self._begun = asyncio.get_running_loop().create_future()
            self._life = asyncio.create_task(self._live(self._begun))
        application = await asyncio.shield(self._begun)
        await application(scope, receive, send)

    async def live(self, receive: Receive, send: Send) -> None:
        """Handle the ASGI lifespan."""
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        self._ending.set()
        if self._life is not None:
            await self._life
        await send({"type": "lifespan.shutdown.complete"})

    async def _live(self, begun: "asyncio.Future[App]") -> None:
        """Enter and leave the application in one task, as its cancel scopes want it."""
        try:
            module = await asyncio.to_thread(_loaded)
            async with module.mcp_application(self._threads) as application:
                begun.set_result(application)
                await self._ending.wait()
        except Exception as exc:
            if begun.done():
                raise
            begun.set_exception(exc)  # raised in all waiting requests; the next one tries again


def _loaded() -> ModuleType:
    is_new = _APPLICATION not in sys.modules
    module = import_module(_APPLICATION)
    if is_new:
        gc.freeze()  # as central.serve does: a full collection need not walk through it
    return module
