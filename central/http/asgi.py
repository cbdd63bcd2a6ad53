"""Django as an ASGI application with bounded bodies and a fair share of threads per caller."""

import asyncio
import contextvars
import gc
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
from central.http.streams import Receive, made_in_threads, sent_in_time, while_connected
from central.http.turns import Caller, Turns, caller_of, current, too_busy
from central.observability.metrics import REFUSED, WAIT_SECONDS, WAITING
from indexer.limits import LONG_SECONDS, REQUESTS_AT_ONCE

_Result = TypeVar("_Result")
_Place = asyncio.Future[None]

_TRACING: Final = frozenset({Lane.TRACES, Lane.LONG})
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
        self._turns: Turns[_Place] = Turns(lanes(searches_at_once=settings.SEARCHES_AT_ONCE))
        self.bodies = BodySpace()

    async def run(self, function: Callable[[], _Result], receive: Receive | None = None) -> _Result:
        """Return what `function` returns, called with the context variables of the caller.

        A cancelled caller stops waiting; the thread is free when `function` has ended. Raises
        UnavailableError if too many wait already, or if none is free in the lane's time, and
        RequestAborted if `receive` tells that the client left its line.
        """
        caller = current.get()
        await self._enter(caller, receive)
        loop = asyncio.get_running_loop()
        give_back = self._held(caller)

        def leave(_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(give_back)

        running = self._executor.submit(contextvars.copy_context().run, function)
        running.add_done_callback(leave)
        return await asyncio.wrap_future(running)

    async def _enter(self, caller: Caller, receive: Receive | None) -> None:
        lane = caller.lane.value
        if self._turns.enter(caller):
            WAIT_SECONDS.labels(lane).observe(0)
            return
        place: _Place = asyncio.get_running_loop().create_future()
        waiting = WAITING.labels(lane)
        try:
            seconds = self._turns.wait(caller, place)
            with waiting.track_inprogress(), WAIT_SECONDS.labels(lane).time():
                async with asyncio.timeout(seconds):
                    await (while_connected(place, receive) if receive else place)
        except (asyncio.CancelledError, RequestAborted):
            if not self._turns.give_up(caller, place):  # a place came at the same moment
                self._leave(caller)
            raise
        except TimeoutError as exc:
            if self._turns.give_up(caller, place):  # else a place came at the same moment
                REFUSED.labels(lane).inc()
                raise too_busy() from exc
        except UnavailableError:
            REFUSED.labels(lane).inc()
            raise

    def _held(self, caller: Caller) -> Callable[[], None]:
        """Return what gives a place back; a search or trace that takes long keeps none waiting."""
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle | None = None

        def outgrow() -> None:
            nonlocal caller
            caller, places = self._turns.outgrow(caller)
            self._serve(places)
            look_later()

        def look_later() -> None:
            nonlocal timer
            may_take_long = caller.lane in {Lane.SEARCHES, Lane.TRACES}
            timer = loop.call_later(LONG_SECONDS, outgrow) if may_take_long else None

        def give_back() -> None:
            if timer:
                timer.cancel()
            self._leave(caller)

        look_later()
        return give_back

    def _leave(self, caller: Caller) -> None:
        is_last = caller.lane in _TRACING and self._turns.count(_TRACING) == 1
        if is_last and gc.get_count()[1] >= _WALKS:
            gc.collect(1)
        self._serve(self._turns.leave(caller))

    def _serve(self, places: Iterable[_Place]) -> None:
        for place in places:
            if not place.done():  # a cancelled caller passes the place on
                place.set_result(None)

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
                response = await self._threads.run(partial(self._respond, scope, body), receive)
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
    for one in (request, rendered.get("request"), rendered.get("view")):
        if one is not None:
            vars(one).clear()
    rendered.clear()


def _header(scope: Mapping[str, Any], name: bytes) -> str | None:
    """Return a header; several are joined by commas, as Django joins them."""
    values = [value.decode("latin-1") for one, value in scope["headers"] if one == name]
    return ",".join(values) if values else None
