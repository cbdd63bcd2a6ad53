"""Django behind ASGI, for views that are synchronous: one hop to a thread per request."""

from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any

import structlog
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import HttpResponse
from django.urls import set_script_prefix

from central.common.callers import Caller, caller_of, current
from central.common.errors import ServiceError
from central.common.headers import harden
from central.common.problems import response_to
from central.common.receiving import check_declared, receive_body
from central.common.threads import RequestThreads

_Receive = Callable[[], Any]
_Send = Callable[[Mapping[str, Any]], Any]

_log = structlog.get_logger(__name__)


class ThreadHandler(ASGIHandler):
    """An ASGI application that runs a whole request, with its signals, in one kept thread.

    Django's own starts a thread for every request and goes back and forth between it and the
    event loop at each signal and middleware, which costs some 2 ms; what it offers for that,
    cancelling a view whose client has left, a synchronous view cannot use. Bodies larger than
    `admitted_bytes(path, authorization)` are refused before they are read (Django would spool them
    to disk), and so are those for which it raises a ServiceError.
    """

    def __init__(
        self, *, admitted_bytes: Callable[[str, str | None], int], threads: RequestThreads
    ) -> None:
        BaseHandler.__init__(self)  # ASGIHandler's own makes every middleware asynchronous
        self.load_middleware(is_async=False)
        self._admitted_bytes = admitted_bytes
        self._threads = threads

    async def __call__(self, scope: dict[str, Any], receive: _Receive, send: _Send) -> None:
        """Answer one HTTP request; nothing if the client leaves before it is complete."""
        if scope["type"] != "http":
            raise ValueError(f"This application speaks HTTP, not {scope['type']}.")
        with SpooledTemporaryFile(max_size=settings.FILE_UPLOAD_MAX_MEMORY_SIZE) as body:
            try:
                limit = self._limit(scope)
                await receive_body(receive, body, limit)
                current.set(_caller(scope, is_upload=limit > settings.DATA_UPLOAD_MAX_MEMORY_SIZE))
                response = await self._threads.run(partial(self._respond, scope, body))
            except RequestAborted:
                return
            except ServiceError as exc:
                await self.send_response(self._refuse(scope, exc), send)
                return
        await self.send_response(response, send)
        if response.streaming:
            await self._threads.run(response.close)

    def _limit(self, scope: Mapping[str, Any]) -> int:
        """How long the body may be. Raises ServiceError if its length is declared, and greater."""
        headers = dict(scope["headers"])
        limit = self._admitted_bytes(scope["path"], _authorization(scope))
        check_declared(headers, limit)
        return limit

    def _respond(self, scope: dict[str, Any], body: IO[bytes]) -> Any:
        """The response, closed already (it keeps its content) unless it is a stream."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        response = self._answer(scope, body)
        response._handler_class = self.__class__
        if not response.streaming:
            response.close()  # sends request_finished: connections go back to the pool
        return response

    def _answer(self, scope: dict[str, Any], body: IO[bytes]) -> Any:
        request, malformed = self.create_request(scope, body)
        return malformed if request is None else self.get_response(request)

    def _refuse(self, scope: dict[str, Any], exc: ServiceError) -> Any:
        _log.warning("body_refused", path=scope["path"], code=exc.code)
        request, malformed = self.create_request(scope, BytesIO())
        if request is None:
            return malformed
        response = response_to(request, exc) or HttpResponse(status=500)
        harden(response.headers, is_secure=request.is_secure())
        return response


def _authorization(scope: Mapping[str, Any]) -> str | None:
    value = dict(scope["headers"]).get(b"authorization")
    return None if value is None else value.decode("latin-1")


def _caller(scope: Mapping[str, Any], *, is_upload: bool) -> Caller:
    address, *_ = scope.get("client") or ("",)
    return caller_of(_authorization(scope), address, is_upload=is_upload)
