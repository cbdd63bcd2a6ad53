"""Every page. An organisation's stand below /o/<slug>/, so that a link says whose it is."""

from django.apps import apps
from django.urls import URLPattern, URLResolver, path, register_converter

from central.web import (
    views_file,
    views_frame,
    views_graph,
    views_knowledge,
    views_people,
    views_repositories,
    views_runs,
    views_search,
    views_symbol,
)
from central.web.paths import FilePathConverter

register_converter(FilePathConverter, "file")

app_name = "web"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views_people.home, name="home"),
    path("sign-in", views_people.sign_in, name="sign-in"),
    path("sign-out", views_people.sign_out, name="sign-out"),
    path("account", views_people.account, name="account"),
    path("account/password", views_people.password, name="password"),
    path("account/tokens", views_people.make_token, name="make-token"),
    path("account/tokens/<int:token_id>/revoke", views_people.revoke, name="revoke-token"),
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
    path("o/<slug:organization>/symbol", views_symbol.symbol, name="symbol"),
    path("o/<slug:organization>/graph", views_graph.graph, name="graph"),
    path("o/<slug:organization>/r/<str:project>/file/<file:path>", views_file.file, name="file"),
    path(
        "o/<slug:organization>/r/<str:project>/violations",
        views_knowledge.violations,
        name="violations",
    ),
    path("o/<slug:organization>/knowledge", views_knowledge.knowledge, name="knowledge"),
    path("o/<slug:organization>/knowledge/<file:node>", views_knowledge.node, name="node"),
]

if apps.is_installed("allauth.socialaccount"):  # where the settings name a provider
    from central.web import views_sso

    urlpatterns += [
        path("sso", views_sso.start, name="sso"),
        path("sso/callback", views_sso.callback, name="sso-callback"),
    ]
