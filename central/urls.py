"""Every route, versioned: the map of the API."""

from functools import cache

from django.conf import settings
from django.contrib import admin
from django.http import HttpResponse
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request

from central.alerts.views import AlertsView, AlertTestView
from central.files.views import BlameView, ContentView, FilesView, HistoryView
from central.github.views import GitHubOidcView, GitHubWebhookView
from central.ingest import views as ingest
from central.knowledge import views as knowledge
from central.maintenance.loopback import dump_index, reconcile_index
from central.observability.health import livez, readyz
from central.observability.metrics import metrics
from central.onboarding.views import OnboardingsView, OnboardingView
from central.repositories.views import StatusView
from central.search.views import SearchStreamView, SearchView
from central.tenancy.authentication import local_token
from central.web.views_accounts import sign_in_to_administer


class SchemaView(SpectacularAPIView):
    """The schema in the format that is asked for."""

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        """Answer with the schema of the whole API."""
        renderer = request.accepted_renderer
        charset = f"; charset={renderer.charset}" if renderer.charset else ""
        name = f"{settings.SPECTACULAR_SETTINGS['TITLE']}.{renderer.format}"
        return HttpResponse(
            _document(renderer.media_type),
            content_type=f"{renderer.media_type}{charset}",
            headers={"Content-Disposition": f'inline; filename="{name}"'},
        )


@cache
def _document(media_type: str) -> str | bytes:
    """Return the rendered schema. To make one takes a tenth of a second of the processor."""
    (renderer,) = (
        renderer_class()
        for renderer_class in SchemaView.renderer_classes
        if renderer_class.media_type == media_type
    )
    return renderer.render(SchemaGenerator().get_schema(public=True))  # type: ignore[no-untyped-call]


admin.autodiscover()

_RUN = "api/v1/index/runs/<uuid:run_id>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/index/status", StatusView.as_view(), name="index-status"),
    path("api/v1/index/runs", ingest.RunsView.as_view(), name="index-runs"),
    path(_RUN, ingest.RunView.as_view(), name="index-run"),
    path(f"{_RUN}/tree", ingest.TreeView.as_view(), name="index-run-tree"),
    path(f"{_RUN}/batches/<int:number>", ingest.BatchView.as_view(), name="index-run-batch"),
    path(f"{_RUN}/embeddings", ingest.EmbeddingsView.as_view(), name="index-run-embeddings"),
    path(f"{_RUN}/commits", ingest.CommitsView.as_view(), name="index-run-commits"),
    path(f"{_RUN}/scip", ingest.ScipView.as_view(), name="index-run-scip"),
    path("api/v1/index/updated", ingest.WebhookView.as_view(), name="index-updated"),
    path("api/v1/files", FilesView.as_view(), name="files"),
    path("api/v1/files/blame", BlameView.as_view(), name="file-blame"),
    path("api/v1/files/history", HistoryView.as_view(), name="file-history"),
    path("api/v1/files/content", ContentView.as_view(), name="file-content"),
    path("api/v1/search", SearchView.as_view(), name="search"),
    path("api/v1/search/stream", SearchStreamView.as_view(), name="search-stream"),
    path("api/v1/trace/", include("central.trace.urls")),
    path("api/v1/graph/nodes", knowledge.NodesView.as_view(), name="graph-nodes"),
    path("api/v1/graph/nodes/<path:node>", knowledge.NodeView.as_view(), name="graph-node"),
    path("api/v1/graph/links", knowledge.LinksView.as_view(), name="graph-links"),
    path("api/v1/graph/traverse", knowledge.TraverseView.as_view(), name="graph-traverse"),
    path("api/v1/graph/violations", knowledge.ViolationsView.as_view(), name="graph-violations"),
    path("api/v1/graph/unmigrated", knowledge.UnmigratedView.as_view(), name="graph-unmigrated"),
    path("api/v1/graph/related", knowledge.RelatedView.as_view(), name="graph-related"),
    path("api/v1/graph/context", knowledge.ContextView.as_view(), name="graph-context"),
    path("api/v1/graph/snapshot", knowledge.SnapshotView.as_view(), name="graph-snapshot"),
    path("api/v1/graph/refresh", knowledge.RefreshView.as_view(), name="graph-refresh"),
    path("api/v1/", include("central.codemap.urls")),
    path("api/v1/auth/github-oidc", GitHubOidcView.as_view(), name="auth-github-oidc"),
    path("api/v1/github/webhook", GitHubWebhookView.as_view(), name="github-webhook"),
    path("api/v1/onboarding", OnboardingsView.as_view(), name="onboardings"),
    path("api/v1/onboarding/<uuid:backfill_id>", OnboardingView.as_view(), name="onboarding"),
    path("api/v1/alerts", AlertsView.as_view(), name="alerts"),
    path("api/v1/alerts/test", AlertTestView.as_view(), name="alerts-test"),
    path("api/v1/schema", SchemaView.as_view(), name="schema"),
    path("api/v1/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("admin/login/", sign_in_to_administer),
    path("admin/password_change/", RedirectView.as_view(pattern_name="web:password")),
    path("admin/", admin.site.urls),
    path("", include("central.web.urls")),
    path("internal/local-token", local_token, name="internal-local-token"),
    path("internal/dump-index", dump_index, name="internal-dump-index"),
    path("internal/reconcile", reconcile_index, name="internal-reconcile"),
]

handler400 = "central.http.problems.bad_request"
handler403 = "central.web.errors.forbidden"
handler404 = "central.web.errors.not_found"
handler500 = "central.web.errors.server_error"
