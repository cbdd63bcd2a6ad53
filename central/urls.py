"""Every route, versioned: the map of the API."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularSwaggerSplitView

from central.files.views import ContentView, FilesView
from central.http.schema import SchemaView
from central.maintenance.loopback import dump_index, reconcile_index
from central.observability.health import livez, readyz
from central.observability.metrics import metrics
from central.repositories.views import StatusView
from central.search.views import SearchStreamView, SearchView
from central.tenancy.authentication import local_token
from central.web.views_accounts import sign_in_to_administer

admin.autodiscover()

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/index/status", StatusView.as_view(), name="index-status"),
    path("api/v1/index/", include("central.ingest.urls")),
    path("api/v1/files", FilesView.as_view(), name="files"),
    path("api/v1/files/content", ContentView.as_view(), name="file-content"),
    path("api/v1/search", SearchView.as_view(), name="search"),
    path("api/v1/search/stream", SearchStreamView.as_view(), name="search-stream"),
    path("api/v1/trace/", include("central.trace.urls")),
    path("api/v1/graph/", include("central.knowledge.urls")),
    path("api/v1/", include("central.codemap.urls")),
    path("api/v1/", include("central.github.urls")),
    path("api/v1/", include("central.onboarding.urls")),
    path("api/v1/", include("central.alerts.urls")),
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
