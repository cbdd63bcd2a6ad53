"""Every page. An organisation's stand below /o/<slug>/, so that a link says whose it is."""

from django.apps import apps
from django.urls import URLPattern, URLResolver, path, register_converter

from central.web import (
    views_accounts,
    views_code,
    views_files,
    views_history,
    views_knowledge,
    views_map,
    views_repositories,
    views_saved,
    views_search,
)
from central.web.organization.urls import urlpatterns as organization_pages
from central.web.urls_for import FilePathConverter

register_converter(FilePathConverter, "file")

app_name = "web"
_OF = "o/<slug:organization>"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views_accounts.home, name="home"),
    path("sign-in", views_accounts.sign_in, name="sign-in"),
    path("sign-out", views_accounts.sign_out, name="sign-out"),
    path("account", views_accounts.account, name="account"),
    path("account/password", views_accounts.password, name="password"),
    path("account/tokens", views_accounts.make_token, name="make-token"),
    path("account/tokens/<int:token_id>/revoke", views_accounts.revoke, name="revoke-token"),
    path("theme", views_accounts.theme, name="theme"),
    path(f"{_OF}/", views_search.search, name="search"),
    path(f"{_OF}/query", views_search.query_help, name="query-help"),
    path(f"{_OF}/searches", views_saved.searches, name="searches"),
    path(f"{_OF}/searches/<int:search_id>", views_saved.saved_search, name="saved-search"),
    path(f"{_OF}/searches/<int:search_id>/delete", views_saved.delete, name="delete-search"),
    path(f"{_OF}/repositories", views_repositories.repositories, name="repositories"),
    path(f"{_OF}/r/<str:project>", views_repositories.repository, name="repository"),
    path(f"{_OF}/runs/<uuid:run_id>", views_repositories.run, name="run"),
    path(
        f"{_OF}/runs/<uuid:run_id>/progress", views_repositories.run_progress, name="run-progress"
    ),
    path(f"{_OF}/map", views_map.map_page, name="map"),
    path(f"{_OF}/unused", views_map.unused_page, name="unused"),
    path(f"{_OF}/symbol", views_code.symbol, name="symbol"),
    path(f"{_OF}/graph", views_code.graph, name="graph"),
    path(f"{_OF}/r/<str:project>/tree", views_files.tree, name="tree"),
    path(f"{_OF}/r/<str:project>/tree/<file:path>", views_files.tree, name="directory"),
    path(f"{_OF}/r/<str:project>/find", views_files.find, name="find"),
    path(f"{_OF}/r/<str:project>/file/<file:path>", views_files.file, name="file"),
    path(f"{_OF}/r/<str:project>/raw/<file:path>", views_files.raw, name="raw"),
    path(f"{_OF}/r/<str:project>/history", views_history.history, name="history"),
    path(f"{_OF}/r/<str:project>/history/<file:path>", views_history.history, name="path-history"),
    path(
        f"{_OF}/r/<str:project>/reference/<file:path>/<int:line>/<int:column>",
        views_code.reference,
        name="reference",
    ),
    path(
        f"{_OF}/r/<str:project>/name/<file:path>/<int:line>/<int:column>",
        views_code.name_panel,
        name="name-panel",
    ),
    path(f"{_OF}/r/<str:project>/violations", views_knowledge.violations, name="violations"),
    path(f"{_OF}/r/<str:project>/consumers", views_map.consumers_page, name="consumers"),
    path(f"{_OF}/knowledge", views_knowledge.knowledge, name="knowledge"),
    path(f"{_OF}/knowledge/<file:node>", views_knowledge.node, name="node"),
    *organization_pages,
]

if apps.is_installed("allauth.socialaccount"):  # where the settings name a provider
    from central.web import views_sso

    urlpatterns += [
        path("sso", views_sso.start, name="sso"),
        path("sso/callback", views_sso.callback, name="sso-callback"),
    ]
