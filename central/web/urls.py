"""Every page. An organisation's stand below /o/<slug>/, so that a link says whose it is."""

from django.urls import URLPattern, URLResolver, path

from central.web import (
    views_file,
    views_frame,
    views_repositories,
    views_runs,
    views_search,
)

app_name = "web"
urlpatterns: list[URLPattern | URLResolver] = [
    path("theme", views_frame.theme, name="theme"),
    path("o/<slug:organization>/", views_search.search, name="search"),
    path(
        "o/<slug:organization>/repositories",
        views_repositories.repositories,
        name="repositories",
    ),
    path("o/<slug:organization>/r/<str:project>", views_repositories.repository, name="repository"),
    path("o/<slug:organization>/runs/<uuid:run_id>", views_runs.run, name="run"),
    path(
        "o/<slug:organization>/runs/<uuid:run_id>/progress",
        views_runs.run_progress,
        name="run-progress",
    ),
    path("o/<slug:organization>/r/<str:project>/file/<path:path>", views_file.file, name="file"),
]
