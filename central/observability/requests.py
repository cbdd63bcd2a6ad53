"""Request id, log line, metrics and span of every request."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from django.http import HttpRequest, HttpResponseBase

from central.observability.logs import bind_request_id, log_request
from central.observability.metrics import REQUEST_SECONDS, REQUESTS
from central.observability.tracing import bind_trace_id, continue_trace, tracer

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NOT_FOUND: Final = "none"


class ObservedResponse:
    """Route and status of a request; status 0 if the client left before the answer.

    One that is deferred is answered once more, and counts then.
    """

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.route = _NOT_FOUND
        self.status = 0
        self.is_deferred = False


@contextmanager
def observe_request(
    *, method: str, path: str, headers: Mapping[str, str]
) -> Iterator[ObservedResponse]:
    """Observe one request of any protocol.

    Set `route` to the route's name, never to a path: paths are unbounded and may hold secrets.
    Reads `X-Request-Id` and `traceparent` from `headers`.
    """
    answered = ObservedResponse(bind_request_id(headers.get("x-request-id") or ""))
    verb = method if method in _METHODS else "other"
    started = time.perf_counter()
    try:
        with _span(headers, answered, verb):
            yield answered
    finally:
        if not answered.is_deferred:
            REQUESTS.labels(answered.route, verb, str(answered.status)).inc()
            REQUEST_SECONDS.labels(answered.route).observe(time.perf_counter() - started)
            log_request(method, path, answered.status, started)


@contextmanager
def _span(headers: Mapping[str, str], answered: ObservedResponse, verb: str) -> Iterator[None]:
    traces = tracer()
    if traces is None:
        yield
        return
    from opentelemetry.trace import SpanKind, StatusCode

    with (
        continue_trace(headers),
        traces.start_as_current_span(verb, kind=SpanKind.SERVER, record_exception=False) as opened,
    ):
        bind_trace_id()
        try:
            yield
        finally:
            opened.update_name(f"{verb} {answered.route}")
            opened.set_attributes(
                {
                    "http.request.method": verb,
                    "http.route": answered.route,
                    "http.response.status_code": answered.status,
                    "request_id": answered.request_id,
                }
            )
            if answered.status >= 500:
                opened.set_status(StatusCode.ERROR)


class RequestLog:
    """The middleware that observes requests."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request, with its id."""
        with observe_request(
            method=request.method or "", path=request.path, headers=request.headers
        ) as answered:
            response = self._get_response(request)
            answered.route, answered.status = route_of(request), response.status_code
            answered.is_deferred = getattr(response, "is_deferred", False)
            response["X-Request-Id"] = answered.request_id
        return response


def route_of(request: HttpRequest) -> str:
    """Return the route's name; the admin's routes share one."""
    match = request.resolver_match
    if match is None:
        return _NOT_FOUND
    return "admin" if "admin" in match.app_names else match.view_name or _NOT_FOUND
