"""OpenTelemetry, where a collector is named: nothing of it is imported elsewhere.

Spans are sent by a thread, in batches; what the collector does not take in time is dropped. Nobody
waits for it, but for two seconds at the end of the process.
"""

import atexit
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Final

import structlog
from django.conf import settings

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_PARENT: Final = "traceparent"  # W3C Trace Context
_END_MILLISECONDS: Final = 2_000

_endings: list[Callable[[], None]] = []


@cache
def tracer() -> "Tracer | None":
    """What makes spans; None without a collector."""
    if not settings.TRACING:
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = settings.TRACING_SERVICE_NAME
    resource = Resource.create({SERVICE_NAME: name} if name else {})
    # Its own shutdown waits for half a minute where the collector is away.
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    processor = BatchSpanProcessor(OTLPSpanExporter())
    provider.add_span_processor(processor)
    _endings.append(partial(processor._batch_processor.shutdown, _END_MILLISECONDS))
    return provider.get_tracer("aeterna")


@atexit.register
def close() -> None:
    """Send what is left, for two seconds at most; there are no spans after it."""
    while _endings:
        _endings.pop()()


def carried() -> dict[str, str]:
    """The span that is open, as a message takes it along."""
    headers: dict[str, str] = {}
    if tracer() is not None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        TraceContextTextMapPropagator().inject(headers)
    return headers


@contextmanager
def continued(headers: Mapping[str, str]) -> Iterator[None]:
    """What is opened inside belongs to the caller's trace, if `headers` tell of one."""
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
    """Give all lines of the log from here on the id of the trace."""
    if tracer() is None:
        return
    from opentelemetry.trace import format_trace_id, get_current_span

    trace_id = get_current_span().get_span_context().trace_id
    if trace_id:
        structlog.contextvars.bind_contextvars(trace_id=format_trace_id(trace_id))
