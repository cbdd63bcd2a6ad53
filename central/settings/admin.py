"""The appearance of the admin: title, navigation and front page."""

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy

from central.settings import env

ENVIRONMENT = env.text("AETERNA_ENVIRONMENT")  # such as staging: a label on every page of the admin


def environment(request: HttpRequest) -> list[str] | None:
    """Return the label and its colour."""
    del request
    if not ENVIRONMENT:
        return None
    return [ENVIRONMENT, "danger" if ENVIRONMENT.lower().startswith("prod") else "warning"]


def style(request: HttpRequest) -> str:
    """Return the address of our style sheet."""
    del request
    return static("web/admin.css")


def icon(request: HttpRequest) -> str:
    """Return the pages' icon."""
    del request
    return static("web/icon.svg")


def elsewhere(request: HttpRequest) -> bool:
    """Return False: unfold would mark every page address as the current one."""
    del request
    return False


def _item(title: str, icon: str, model: str, verb: str = "view") -> dict[str, Any]:
    app, _, name = model.partition(".")

    def may_view(request: HttpRequest) -> bool:
        return any(request.user.has_perm(f"{app}.{right}_{name}") for right in (verb, "change"))

    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{app}_{name}_changelist"),
        "permission": may_view,
    }


def _group(title: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "separator": True, "items": list(items)}


UNFOLD = {
    "SITE_TITLE": "Aeterna admin",
    "SITE_HEADER": "Aeterna",
    "SITE_SUBHEADER": "Code search, administration",
    "SITE_SYMBOL": "manage_search",
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": icon}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": True,
    "ENVIRONMENT": "central.settings.admin.environment",
    "DASHBOARD_CALLBACK": "central.web.admin_dashboard.front_page",
    "STYLES": [style],
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": False,
        "navigation": [
            {
                "items": [
                    {
                        "title": "Overview",
                        "icon": "monitoring",
                        "link": reverse_lazy("admin:index"),
                    },
                    {
                        "title": "To the pages",
                        "icon": "arrow_back",
                        "link": reverse_lazy("web:home"),
                        "active": elsewhere,
                    },
                ]
            },
            _group(
                "Index",
                _item("Repositories", "folder_data", "repositories.repository"),
                _item("Runs", "sync", "ingest.indexrun"),
                _item("Deliveries", "inbox", "ingest.delivery"),
            ),
            _group(
                "Knowledge",
                _item("Documents and policies", "menu_book", "knowledge.document"),
                _item("Links", "link", "knowledge.edge"),
            ),
            _group(
                "Access",
                _item("Organisations", "domain", "tenancy.organization"),
                _item("Memberships", "badge", "tenancy.membership"),
                _item("API tokens", "key", "tenancy.apitoken"),
                _item("Users", "person", "auth.user"),
                _item("Groups", "group", "auth.group"),
            ),
            _group(
                "GitHub",
                _item("Keyless policies", "verified_user", "github.githubpolicy"),
                _item("Webhook deliveries", "webhook", "github.githubdelivery"),
            ),
            _group("Audit", _item("Audit log", "history", "tenancy.auditentry")),
        ],
    },
}
