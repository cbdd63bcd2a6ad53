"""Answers that wait for something to happen, without a thread or a connection to the database."""

import asyncio
from contextlib import suppress
from typing import Any, Final

from rest_framework.response import Response

from central.http.streams import Receive, while_connected
from central.observability.metrics import DEFERRED
from central.waits import Wait, Waits


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
