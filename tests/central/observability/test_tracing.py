"""Spans: lines of the log always, traces where a collector is named."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from threading import Event
from types import SimpleNamespace

import pytest
import structlog
from celery.app.task import Context
from django.test import Client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from pytest_django import Settings

from central.errors import NotFoundError
from central.observability import tracing
from central.observability.celery import extract_context, inject_context, leave
from central.observability.tracing import span
from central.settings import services as observing
from tests.listening import listening

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


class Collector(BaseHTTPRequestHandler):
    """Takes OTLP over HTTP, and keeps the spans."""

    spans: list[Span]
    services: set[str]
    came: Event

    def do_POST(self) -> None:
        request = ExportTraceServiceRequest()
        request.ParseFromString(self.rfile.read(int(self.headers["Content-Length"])))
        for resource in request.resource_spans:
            type(self).services |= {
                pair.value.string_value
                for pair in resource.resource.attributes
                if pair.key == "service.name"
            }
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)
        self.send_response(200)
        self.end_headers()
        self.came.set()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def collected(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Collector]]:
    """A collector that this process sends its spans to, soon."""
    Collector.spans, Collector.services, Collector.came = [], set(), Event()
    with listening(Collector) as url:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
        settings.TRACING, settings.TRACING_SERVICE_NAME = (
            observing.has_collector(),
            observing.service_name(),
        )
        tracing.tracer.cache_clear()
        yield Collector
        tracing.close()
    tracing.tracer.cache_clear()


def values_of(found: Span) -> dict[str, object]:
    pairs = {}
    for pair in found.attributes:
        kind = pair.value.WhichOneof("value")
        pairs[pair.key] = getattr(pair.value, kind)
    return pairs


def test_a_span_is_one_line_with_its_values_and_its_time() -> None:
    with structlog.testing.capture_logs() as lines, span("code.search", query="jwt") as told:
        told.set_attributes(resultCount=3)
    (line,) = lines
    assert line.pop("took_ms") >= 0
    assert line == {
        "event": "code.search",
        "log_level": "info",
        "span": "code.search",
        "query": "jwt",
        "resultCount": 3,
    }


def test_a_failure_is_told_by_its_kind_alone() -> None:
    with (
        structlog.testing.capture_logs() as lines,
        pytest.raises(NotFoundError),
        span("code.trace"),
    ):
        raise NotFoundError("what only the caller may read")
    assert lines[0]["error"] == "NotFoundError"
    assert "only the caller" not in json.dumps(lines)


def test_what_people_search_for_need_not_be_logged(settings: Settings) -> None:
    settings.LOG_QUERIES = False
    with (
        structlog.testing.capture_logs() as lines,
        span("code.search", query="what I search", symbol="mine", project="auth"),
    ):
        pass
    assert lines[0]["project"] == "auth"
    assert not {"query", "symbol"} & lines[0].keys()


def test_without_a_collector_nothing_of_opentelemetry_is_made(settings: Settings) -> None:
    settings.TRACING = False
    tracing.tracer.cache_clear()
    assert tracing.tracer() is None
    assert tracing.trace_headers() == {}


@pytest.mark.django_db
def test_a_request_and_what_it_does_are_spans_of_the_callers_trace(
    collected: type[Collector],
) -> None:
    with structlog.testing.capture_logs(
        processors=[structlog.contextvars.merge_contextvars]
    ) as lines:
        Client().get("/api/v1/search", headers={"traceparent": PARENT})
    assert collected.came.wait(30)
    (found,) = collected.spans
    assert found.name == "GET search"
    assert (found.trace_id.hex(), found.parent_span_id.hex()) == (TRACE, "00f067aa0ba902b7")
    assert values_of(found)["http.response.status_code"] == 401
    assert collected.services == {"aeterna-code-search"}
    assert {line["trace_id"] for line in lines if line["event"] == "request"} == {TRACE}


def test_spans_hold_the_same_values_as_their_lines(collected: type[Collector]) -> None:
    with pytest.raises(NotFoundError), span("code.index.build", path="acme/auth", project=None):
        raise NotFoundError("a secret")
    assert collected.came.wait(30)
    (found,) = collected.spans
    values = values_of(found)
    assert values.pop("took_ms")
    assert values == {"path": "acme/auth", "error": "NotFoundError"}
    assert found.status.code == Status.StatusCode.STATUS_CODE_ERROR
    assert b"a secret" not in found.SerializeToString()


def test_a_collector_that_is_away_costs_nothing(
    collected: type[Collector], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "16")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8")
    monkeypatch.setattr(tracing, "_END_MILLISECONDS", 50)
    tracing.tracer.cache_clear()
    for _ in range(100):  # more than are kept to be sent
        with span("code.search"):
            pass
    assert collected.spans == []
    tracing.close()


def test_a_task_has_the_id_and_the_trace_of_the_request_that_caused_it(
    collected: type[Collector],
) -> None:
    headers: dict[str, object] = {}
    with (
        structlog.contextvars.bound_contextvars(request_id="request-12345678"),
        tracing.continue_trace({"traceparent": PARENT}),
    ):
        inject_context(headers=headers)
    structlog.contextvars.clear_contextvars()
    extract_context(task_id="7", task=SimpleNamespace(name="apply_run", request=Context(headers)))
    with span("code.index.build"):
        bound = structlog.contextvars.get_contextvars()
        assert bound["request_id"] == "request-12345678"
        assert bound["trace_id"] == TRACE
        assert bound["task"] == "apply_run"
    leave(task_id="7")
    assert structlog.contextvars.get_contextvars() == {}
    assert collected.came.wait(30)
    assert collected.spans[0].trace_id.hex() == TRACE


def test_the_sdk_can_be_switched_off_as_its_own_documentation_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
    assert observing.has_collector()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert not observing.has_collector()
