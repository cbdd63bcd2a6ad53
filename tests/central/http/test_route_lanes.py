"""The lane of every route: a new one has to be listed here."""

import re

from central.http.lanes import Lane, lane_of
from tests.central.isolation.requests import routes

ROUTES = {
    Lane.RUNS: {
        "api/v1/auth/github-oidc",
        "api/v1/github/webhook",
        "api/v1/index/runs",
        "api/v1/index/runs/<uuid:run_id>",
        "api/v1/index/runs/<uuid:run_id>/embeddings",
        "api/v1/index/runs/<uuid:run_id>/commits",
        "api/v1/index/runs/<uuid:run_id>/scip",
        "api/v1/index/updated",
        "metrics",
    },
    Lane.UPLOADS: {
        "api/v1/index/runs/<uuid:run_id>/batches/<int:number>",
        "api/v1/index/runs/<uuid:run_id>/tree",
    },
    Lane.TRACES: {
        "api/v1/graph/context",
        "api/v1/graph/links",
        "api/v1/graph/nodes",
        "api/v1/graph/nodes/<path:node>",
        "api/v1/graph/related",
        "api/v1/graph/traverse",
        "api/v1/graph/unmigrated",
        "api/v1/graph/violations",
        "api/v1/map",
        "api/v1/map/most-called",
        "api/v1/trace/callees",
        "api/v1/trace/callers",
        "api/v1/trace/definition",
        "api/v1/trace/graph",
        "api/v1/trace/models",
        "api/v1/trace/references",
        "o/<slug:organization>/graph",
        "o/<slug:organization>/knowledge",
        "o/<slug:organization>/knowledge/<file:node>",
        "o/<slug:organization>/map",
        "o/<slug:organization>/r/<str:project>/consumers",
        "o/<slug:organization>/r/<str:project>/name/<file:path>/<int:line>/<int:column>",
        "o/<slug:organization>/r/<str:project>/violations",
        "o/<slug:organization>/symbol",
        "o/<slug:organization>/unused",
    },
    Lane.EXPORTS: {
        "api/v1/graph/refresh",
        "api/v1/graph/snapshot",
        "api/v1/map/consumers",
        "api/v1/map/unused",
        "api/v1/trace/calls",
        "api/v1/trace/impact",
        "api/v1/trace/scip",
    },
    Lane.SEARCHES: {
        "api/v1/search",
        "api/v1/search/stream",
        "o/<slug:organization>/",
        "o/<slug:organization>/query",
    },
    Lane.READS: {
        "",
        "api/v1/alerts",
        "api/v1/alerts/test",
        "api/v1/docs",
        "api/v1/files",
        "api/v1/files/blame",
        "api/v1/files/content",
        "api/v1/files/history",
        "api/v1/index/status",
        "api/v1/onboarding",
        "api/v1/onboarding/<uuid:backfill_id>",
        "api/v1/schema",
        "o/<slug:organization>/r/<str:project>",
        "o/<slug:organization>/r/<str:project>/file/<file:path>",
        "o/<slug:organization>/r/<str:project>/find",
        "o/<slug:organization>/r/<str:project>/history",
        "o/<slug:organization>/r/<str:project>/history/<file:path>",
        "o/<slug:organization>/r/<str:project>/raw/<file:path>",
        "o/<slug:organization>/r/<str:project>/reference/<file:path>/<int:line>/<int:column>",
        "o/<slug:organization>/r/<str:project>/tree",
        "o/<slug:organization>/r/<str:project>/tree/<file:path>",
        "o/<slug:organization>/repositories",
        "o/<slug:organization>/runs/<uuid:run_id>",
        "o/<slug:organization>/searches",
        "o/<slug:organization>/searches/<int:search_id>",
        "o/<slug:organization>/searches/<int:search_id>/delete",
        "o/<slug:organization>/runs/<uuid:run_id>/progress",
    },
}
# Accounts and settings: reads, however many there are.
CHEAP = re.compile(
    r"(account|admin|internal|invitation|sign-in|sign-out|sso|theme)(/|\Z)"
    r"|o/<slug:organization>/settings(/|\Z)"
)
PROBES = {"livez", "readyz"}  # they take no request thread


def test_every_route_has_the_lane_that_its_cost_and_its_caller_need() -> None:
    served = set(routes()) - PROBES
    listed = {route: lane for lane, some in ROUTES.items() for route in some}
    cheap = dict.fromkeys(filter(CHEAP.match, served), Lane.READS)
    lanes = {route: lane_of("/" + re.sub("<[^>]+>", "x", route)) for route in served}
    assert lanes == listed | cheap


def test_an_organisation_may_be_named_like_a_page() -> None:
    assert lane_of("/o/knowledge/") is Lane.SEARCHES
