"""Prometheus metrics. Apps with figures in the database add collectors (central.extensions)."""

from functools import cache
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from central.extensions import added

REQUESTS = Counter(
    "aeterna_requests_total",
    "Requests by route, method and status (0: the client left).",
    ["route", "method", "status"],
)
REQUEST_SECONDS = Histogram(
    "aeterna_request_seconds",
    "Time to answer a request, by route.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
APPLY_SECONDS = Histogram(
    "aeterna_apply_seconds",
    "Time from claiming a run to its end, by what came of it.",
    ["outcome"],
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800),
)
SEARCH_SECONDS = Histogram(
    "aeterna_search_seconds",
    "Time to answer a search, by mode.",
    ["mode"],
    buckets=(0.002, 0.005, 0.01, 0.015, 0.03, 0.06, 0.15, 0.3, 1, 3),
)
SIDECAR_CALLS = Counter(
    "aeterna_sidecar_calls_total", "Calls of the sidecar's tools, by outcome.", ["outcome"]
)
SIDECAR_IS_AWAY = Gauge(
    "aeterna_sidecar_is_away",
    "1 while the sidecar is left alone because it failed, else 0.",
    multiprocess_mode="livemax",
)
UNAVAILABLE = Counter(
    "aeterna_unavailable_total",
    "Answers and applies that failed because something was away or full, by which.",
    ["what"],
)
EMBEDDER_REQUESTS = Counter(
    "aeterna_embedder_requests_total",
    "Requests to embedding services for queries, by provider and outcome.",
    ["provider", "outcome"],
)
THROTTLED = Counter(
    "aeterna_throttled_total", "Requests refused because of a rate limit, by what for.", ["what"]
)
REFUSED = Counter(
    "aeterna_refused_total",
    "Requests refused because no thread was free for them in time, by lane.",
    ["lane"],
)
WAITING = Gauge(
    "aeterna_waiting_requests",
    "Requests that wait for a thread, by lane.",
    ["lane"],
    multiprocess_mode="livesum",
)
DEFERRED = Gauge(
    "aeterna_deferred_requests",
    "Requests that wait for the end of a run, without a thread.",
    multiprocess_mode="livesum",
)
WAIT_SECONDS = Histogram(
    "aeterna_wait_seconds",
    "Time that requests waited for a thread, refused ones too, by lane.",
    ["lane"],
    buckets=(0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.8, 2, 8, 30),
)

CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}


def metrics(request: HttpRequest) -> HttpResponse:
    """`GET /metrics`, with the token of AETERNA_METRICS_TOKEN."""
    if refused := refusal(request.headers.get("Authorization", "")):
        status, text = refused
        return HttpResponse(text, status=status, content_type="text/plain", headers=CHALLENGE)
    return HttpResponse(generate_latest(registry()), content_type=CONTENT_TYPE_LATEST)


def refusal(authorization: str) -> tuple[HTTPStatus, str] | None:
    """Return why a request with this header gets no metrics; None if it gets them."""
    token = settings.METRICS_TOKEN
    if not token:
        return HTTPStatus.NOT_FOUND, "Metrics are off. Set AETERNA_METRICS_TOKEN to a secret.\n"
    if not constant_time_compare(authorization, f"Bearer {token}"):
        return HTTPStatus.UNAUTHORIZED, "Send `Authorization: Bearer <AETERNA_METRICS_TOKEN>`.\n"
    return None


@cache
def registry() -> CollectorRegistry:
    """Return the figures of this process and those that apps add.

    First requests at once may each make one, and either serves: REGISTRY stays as it is.
    """
    made = CollectorRegistry()
    for collector in (REGISTRY, *(collector() for collector in added("collectors"))):
        made.register(collector)
    return made
