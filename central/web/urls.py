"""Every page. An organisation's stand below /o/<slug>/, so that a link says whose it is."""

from django.apps import apps
from django.urls import URLPattern, URLResolver, path, register_converter

from central.web import (
    views_accounts,
    views_code,
    views_files,
    views_knowledge,
    views_repositories,
    views_search,
)
from central.web import views_repositories as views_runs
from central.web.urls_for import FilePathConverter

register_converter(FilePathConverter, "file")

app_name = "web"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views_accounts.home, name="home"),
    path("sign-in", views_accounts.sign_in, name="sign-in"),
    path("sign-out", views_accounts.sign_out, name="sign-out"),
    path("account", views_accounts.account, name="account"),
    path("account/password", views_accounts.password, name="password"),
    path("account/tokens", views_accounts.make_token, name="make-token"),
    path("account/tokens/<int:token_id>/revoke", views_accounts.revoke, name="revoke-token"),
    path("theme", views_accounts.theme, name="theme"),
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
    path("o/<slug:organization>/symbol", views_code.symbol, name="symbol"),
    path("o/<slug:organization>/graph", views_code.graph, name="graph"),
    path("o/<slug:organization>/r/<str:project>/tree", views_files.tree, name="tree"),
    path(
        "o/<slug:organization>/r/<str:project>/tree/<file:path>",
        views_files.tree,
        name="directory",
    ),
    path("o/<slug:organization>/r/<str:project>/find", views_files.find, name="find"),
    path("o/<slug:organization>/r/<str:project>/file/<file:path>", views_files.file, name="file"),
    path("o/<slug:organization>/r/<str:project>/raw/<file:path>", views_files.raw, name="raw"),
    path(
        "o/<slug:organization>/r/<str:project>/reference/<file:path>/<int:line>/<int:column>",
        views_code.reference,
        name="reference",
    ),
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
