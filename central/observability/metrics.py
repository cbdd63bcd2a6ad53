"""Prometheus metrics. Apps with figures in the database register a collector of their own."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST, Counter, Gauge, Histogram, generate_latest

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
WAIT_SECONDS = Histogram(
    "aeterna_wait_seconds",
    "Time that requests waited for a thread, refused ones too, by lane.",
    ["lane"],
    buckets=(0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.8, 2, 8, 30),
)


def metrics(request: HttpRequest) -> HttpResponse:
    """`GET /metrics`; 404 with AETERNA_METRICS off."""
    del request
    if not settings.METRICS_ENABLED:
        raise Http404
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
