"""Spans: what was done, of what, and how long it took.

Each is one line of the log and, where a collector is named, a span of a trace, with the same names
and values. What people search for is among them, unless AETERNA_LOG_QUERIES is off.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import structlog
from django.conf import settings

from central.common.collector import tracer

if TYPE_CHECKING:
    from opentelemetry.trace import Span as OpenSpan

_ASKED: Final = frozenset({"query", "symbol"})

_log = structlog.get_logger(__name__)


class Span:
    """What is known of something that is being done. Values are strings and numbers."""

    def __init__(self, attributes: dict[str, Any]) -> None:
        self.attributes = attributes

    def note(self, **attributes: Any) -> None:
        """What is only known now."""
        self.attributes.update(attributes)


@contextmanager
def span(name: str, **attributes: Any) -> Iterator[Span]:
    """Around what is done; told at its end, with `error` (its kind alone) where it failed."""
    found = Span(attributes)
    started = time.perf_counter()
    with _opened(name) as opened:
        try:
            yield found
        except Exception as exc:
            found.note(error=type(exc).__name__)
            raise
        finally:
            found.note(took_ms=round(1000 * (time.perf_counter() - started), 1))
            told = _told(found.attributes)
            _log.info(name, span=name, **told)
            if opened is not None:
                _fill(opened, told)


@contextmanager
def _opened(name: str) -> "Iterator[OpenSpan | None]":
    traces = tracer()
    if traces is None:
        yield None
        return
    # An exception's text may hold anything: its kind is told above.
    with traces.start_as_current_span(
        name, record_exception=False, set_status_on_exception=False
    ) as opened:
        yield opened


def _told(attributes: dict[str, Any]) -> dict[str, Any]:
    if settings.LOG_QUERIES:
        return attributes
    return {name: value for name, value in attributes.items() if name not in _ASKED}


def _fill(opened: "OpenSpan", told: dict[str, Any]) -> None:
    from opentelemetry.trace import StatusCode

    opened.set_attributes({name: value for name, value in told.items() if value is not None})
    if error := told.get("error"):
        opened.set_status(StatusCode.ERROR, error)
