"""Spans as log lines and, if configured, to an OpenTelemetry collector."""

import atexit
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import structlog
from django.conf import settings

if TYPE_CHECKING:
    from opentelemetry.trace import Span as OpenSpan
    from opentelemetry.trace import Tracer

_PARENT: Final = "traceparent"  # W3C Trace Context
_END_MILLISECONDS: Final = 2_000

_endings: list[Callable[[], None]] = []


@cache
def tracer() -> "Tracer | None":
    """Return the tracer; None without a collector."""
    if not settings.TRACING:
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = settings.TRACING_SERVICE_NAME
    resource = Resource.create({SERVICE_NAME: name} if name else {})
    # Its own shutdown waits for half a minute where the collector is unavailable.
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    processor = BatchSpanProcessor(OTLPSpanExporter())
    provider.add_span_processor(processor)
    _endings.append(partial(processor._batch_processor.shutdown, _END_MILLISECONDS))
    return provider.get_tracer("aeterna")


@atexit.register
def close() -> None:
    """Send pending spans within two seconds; no spans are sent afterwards."""
    while _endings:
        _endings.pop()()


def trace_headers() -> dict[str, str]:
    """Return the current span as message headers."""
    headers: dict[str, str] = {}
    if tracer() is not None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        TraceContextTextMapPropagator().inject(headers)
    return headers


@contextmanager
def continue_trace(headers: Mapping[str, str]) -> Iterator[None]:
    """Make spans inside part of the caller's trace, if `headers` name one."""
    parent = headers.get(_PARENT) if tracer() is not None else None
    if parent is None:
        yield
        return
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    token = context.attach(TraceContextTextMapPropagator().extract({_PARENT: parent}))
    try:
        yield
    finally:
        context.detach(token)


def bind_trace_id() -> None:
    """Bind the trace id to the log lines that follow."""
    if tracer() is None:
        return
    from opentelemetry.trace import format_trace_id, get_current_span

    trace_id = get_current_span().get_span_context().trace_id
    if trace_id:
        structlog.contextvars.bind_contextvars(trace_id=format_trace_id(trace_id))


_ASKED: Final = frozenset({"query", "symbol"})

_log = structlog.get_logger(__name__)


class Span:
    """The attributes of a running operation: strings and numbers."""

    def __init__(self, attributes: dict[str, Any]) -> None:
        self.attributes = attributes

    def set_attributes(self, **attributes: Any) -> None:
        """Add attributes."""
        self.attributes.update(attributes)


@contextmanager
def span(name: str, **attributes: Any) -> Iterator[Span]:
    """Measure an operation and log it at its end, with the kind of `error` if it failed."""
    found = Span(attributes)
    started = time.perf_counter()
    with _opened(name) as opened:
        try:
            yield found
        except Exception as exc:
            found.set_attributes(error=type(exc).__name__)
            raise
        finally:
            found.set_attributes(took_ms=round(1000 * (time.perf_counter() - started), 1))
            shown = _without_queries(found.attributes)
            _log.info(name, span=name, **shown)
            if opened is not None:
                _fill(opened, shown)


@contextmanager
def _opened(name: str) -> "Iterator[OpenSpan | None]":
    traces = tracer()
    if traces is None:
        yield None
        return
    # Only the kind of an exception is recorded: its text may hold anything.
    with traces.start_as_current_span(
        name, record_exception=False, set_status_on_exception=False
    ) as opened:
        yield opened


def _without_queries(attributes: dict[str, Any]) -> dict[str, Any]:
    if settings.LOG_QUERIES:
        return attributes
    return {name: value for name, value in attributes.items() if name not in _ASKED}


def _fill(opened: "OpenSpan", shown: dict[str, Any]) -> None:
    from opentelemetry.trace import StatusCode

    opened.set_attributes({name: value for name, value in shown.items() if value is not None})
    if error := shown.get("error"):
        opened.set_status(StatusCode.ERROR, error)
