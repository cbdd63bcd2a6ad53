"""Django as an ASGI application with bounded bodies and a fair share of threads per caller."""

import asyncio
import contextvars
import gc
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, TypeVar

import structlog
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.urls import set_script_prefix

from central.errors import ServiceError, UnavailableError
from central.http.bodies import check_content_length, max_body_bytes, read_asgi_body
from central.http.lanes import Lane, lane_of, lanes
from central.http.middleware import set_security_headers
from central.http.problems import response_to
from central.http.space import BodySpace
from central.http.streams import (
    DeferredResponse,
    Receive,
    made_in_threads,
    sent_in_time,
    while_connected,
)
from central.http.turns import (
    LATE_SECONDS,
    REQUESTS_AT_ONCE,
    Caller,
    Slot,
    Turns,
    caller_of,
    current,
    too_busy,
)
from central.observability.metrics import REFUSED, WAIT_SECONDS, WAITING

_Result = TypeVar("_Result")
_Waiter = asyncio.Future[Slot]

_TRACING: Final = frozenset({Lane.TRACES, Lane.EXPORTS, Lane.LATE})
# So many walks of the garbage collector through new objects, then one through those that they left,
# which is short while there is no trace: central.serve's thresholds may have it amid a trace.
_WALKS: Final = 10


class RequestThreads:
    """The request threads of a process, shared by the API, pages and /mcp; `bodies` wait for them.

    Callers (`turns.current`) take turns; none can have all threads.
    """

    def __init__(self, executor: Executor | None = None) -> None:
        self._executor = executor or ThreadPoolExecutor(
            REQUESTS_AT_ONCE, thread_name_prefix="request"
        )
        self._turns: Turns[_Waiter] = Turns(lanes(searches_at_once=settings.SEARCHES_AT_ONCE))
        self.bodies = BodySpace()

    async def run(self, function: Callable[[], _Result], receive: Receive | None = None) -> _Result:
        """Return what `function` returns, called with the context variables of the caller.

        A cancelled caller stops waiting; the thread is free when `function` has ended. Raises
        UnavailableError if too many wait already, or if none is free in the lane's time, and
        RequestAborted if `receive` tells that the client left its line.
        """
        loop = asyncio.get_running_loop()
        place = await self._enter(current.get(), receive)
        # Those that wait for it for long may go on beside it.
        late = loop.call_later(LATE_SECONDS, self._serve_late)

        def give_back() -> None:
            late.cancel()
            self._leave(place)

        def leave(_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(give_back)

        is_refused = False

        def run_unless_refused() -> _Result:
            if is_refused:
                raise too_busy()
            return function()

        try:
            running = self._executor.submit(contextvars.copy_context().run, run_unless_refused)
        except RuntimeError as exc:  # the system starts no thread; another may still take it up
            is_refused = True
            give_back()
            REFUSED.labels(place.caller.lane.value).inc()
            raise too_busy() from exc
        running.add_done_callback(leave)
        return await asyncio.wrap_future(running)

    async def _enter(self, caller: Caller, receive: Receive | None) -> Slot:
        lane = caller.lane.value
        if place := self._turns.enter(caller):
            WAIT_SECONDS.labels(lane).observe(0)
            return place
        loop = asyncio.get_running_loop()
        waiter: _Waiter = loop.create_future()
        try:
            seconds = self._turns.wait(caller, waiter)
        except UnavailableError:
            REFUSED.labels(lane).inc()
            raise
        late = loop.call_later(LATE_SECONDS, self._serve_late)
        try:
            with WAITING.labels(lane).track_inprogress(), WAIT_SECONDS.labels(lane).time():
                async with asyncio.timeout(seconds):
                    return await (while_connected(waiter, receive) if receive else waiter)
        except (asyncio.CancelledError, RequestAborted):
            if not self._turns.leave_queue(caller, waiter) and not waiter.cancelled():
                self._leave(waiter.result())  # it came at the same moment
            raise
        except TimeoutError as exc:
            if not self._turns.leave_queue(caller, waiter) and not waiter.cancelled():
                return waiter.result()  # it came at the same moment
            REFUSED.labels(lane).inc()
            raise too_busy() from exc
        finally:
            late.cancel()

    def _leave(self, place: Slot) -> None:
        is_last = place.caller.lane in _TRACING and self._turns.count(_TRACING) == 1
        if is_last and gc.get_count()[1] >= _WALKS:
            gc.collect(1)
        self._give(self._turns.leave(place))

    def _serve_late(self) -> None:
        self._give(self._turns.serve())

    def _give(self, served: Iterable[tuple[_Waiter, Slot]]) -> None:
        given = deque(served)
        while given:
            waiter, place = given.popleft()
            if waiter.done():  # its caller left: the place is for the next one
                given += self._turns.leave(place)
            else:
                waiter.set_result(place)

    async def query(self, function: Callable[[], _Result]) -> _Result:
        """Do the same outside of a Django request: returns the database connection at the end."""

        def run() -> _Result:
            try:
                return function()
            finally:
                close_old_connections()

        return await self.run(run)


Refusal = Callable[[HttpRequest, ServiceError], HttpResponse | None]
_Receive = Callable[[], Any]
_Send = Callable[[Mapping[str, Any]], Any]

_log = structlog.get_logger(__name__)


class ThreadHandler(ASGIHandler):
    """An ASGI handler that runs a whole request, with its signals, in one pooled thread.

    Django's own starts a thread for every request and goes back and forth between it and the
    event loop at each signal and middleware, which costs some 2 ms; what it offers for that,
    cancelling a view whose client has left, a synchronous view cannot use. Bodies larger than
    `max_body_bytes` are refused before they are read: Django would spool them to disk. Probes wait
    for no other request: /livez is answered by the event loop, /readyz by a thread of its own.
    """

    def __init__(self, threads: RequestThreads, refusal: Refusal = response_to) -> None:
        BaseHandler.__init__(self)  # ASGIHandler's own makes every middleware asynchronous
        self.load_middleware(is_async=False)
        self._threads = threads
        self._refusal = refusal
        self._readiness = ThreadPoolExecutor(1, thread_name_prefix="readiness")

    async def __call__(self, scope: dict[str, Any], receive: _Receive, send: _Send) -> None:
        """Answer one HTTP request; nothing if the client leaves before it is complete."""
        if scope["type"] != "http":
            raise ValueError(f"This application speaks HTTP, not {scope['type']}.")
        if scope["path"] == "/livez":
            await self.send_response(self._respond(scope, BytesIO()), send)
            return
        if scope["path"] == "/readyz":
            asked = partial(self._respond, scope, BytesIO())
            loop = asyncio.get_running_loop()
            await self.send_response(await loop.run_in_executor(self._readiness, asked), send)
            return
        authorization = _header(scope, b"authorization")
        address, *_ = scope.get("client") or ("",)
        current.set(caller_of(authorization, address, lane_of(scope["path"])))
        with (
            self._threads.bodies.of(current.get()) as take,
            SpooledTemporaryFile(max_size=settings.FILE_UPLOAD_MAX_MEMORY_SIZE) as body,
        ):
            try:
                limit = max_body_bytes(scope["path"], authorization)
                check_content_length(_header(scope, b"content-length") or "", limit)
                await read_asgi_body(receive, body, limit, take)
                response = await self._answer(scope, body, receive)
            except RequestAborted:
                return
            except ServiceError as exc:
                await self.send_response(self._refuse(scope, exc), send)
                return
        current.set(current.get()._replace(lane=Lane.BEGUN))
        if response.streaming:
            await self._stream(response, receive, send)
        else:
            await self.send_response(response, sent_in_time(send))

    async def _answer(self, scope: dict[str, Any], body: IO[bytes], receive: _Receive) -> Any:
        """Return the response of a thread; of a second one, after all checks, if it is deferred."""
        response = await self._threads.run(partial(self._respond, scope, body), receive)
        if not isinstance(response, DeferredResponse):
            return response
        await response.over(receive)
        again = {**scope, "query_string": b""}
        return await self._threads.run(partial(self._respond, again, BytesIO()), receive)

    async def _stream(self, response: Any, receive: _Receive, send: _Send) -> None:
        """Send a stream until its end, or until its reader leaves."""
        if not response.is_async:
            parts = response.streaming_content
            response.streaming_content = made_in_threads(self._threads, parts)
        try:
            with suppress(RequestAborted):
                await while_connected(self.send_response(response, sent_in_time(send)), receive)
        finally:
            await self._threads.run(response.close)

    def _respond(self, scope: dict[str, Any], body: IO[bytes]) -> Any:
        """Return the response; it is closed already unless it is a stream."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, response = self.create_request(scope, body)
        if request is not None:
            response = self.get_response(request)
        response._handler_class = self.__class__
        if response.streaming:
            close_old_connections()  # the thread may wait long for its next request
        else:
            response.close()  # sends request_finished: connections go back to the pool
            _unlink(request, response)
        return response

    def create_request(self, scope: Mapping[str, Any], body_file: IO[bytes]) -> Any:
        """Return the request and None, or None and a refusal.

        Django's own raises for a Content-Type whose parameter names an unknown charset.
        """
        try:
            return super().create_request(scope, body_file)
        except ValueError:
            return None, HttpResponseBadRequest()

    def _refuse(self, scope: dict[str, Any], exc: ServiceError) -> Any:
        _log.warning("request_refused", path=scope["path"], code=exc.code)
        request, malformed = self.create_request(scope, BytesIO())
        if request is None:
            return malformed
        response = self._refusal(request, exc) or HttpResponse(status=500)
        set_security_headers(response.headers, is_secure=request.is_secure())
        return response


def _unlink(request: HttpRequest | None, response: HttpResponse) -> None:
    """Part what Django and the REST framework have refer to one another: it is freed at once.

    A request leaves 500 to 800 objects that only the garbage collector would find.
    """
    rendered: dict[str, Any] = getattr(response, "renderer_context", {})
    for holder in (request, rendered.get("request"), rendered.get("view")):
        if holder is not None:
            vars(holder).clear()
    rendered.clear()


def _header(scope: Mapping[str, Any], name: bytes) -> str | None:
    """Return a header; several are joined by commas, as Django joins them."""
    values = [value.decode("latin-1") for header, value in scope["headers"] if header == name]
    return ",".join(values) if values else None
