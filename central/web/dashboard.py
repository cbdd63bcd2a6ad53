"""The admin's front page: what is fresh, what waits, what failed, for those who may see it."""

from typing import Any

from django.http import HttpRequest

from central.web import admin_dashboard


def front_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The figures, added to the page's context (UNFOLD's DASHBOARD_CALLBACK)."""
    if request.user.has_perm("repositories.view_repository"):
        context |= {
            "freshness": admin_dashboard.freshness(),
            "largest": admin_dashboard.largest_repositories(),
            "embedders": admin_dashboard.embedders(),
            "store": admin_dashboard.store_name(),
        }
    if request.user.has_perm("ingest.view_indexrun"):
        failed, failed_count = admin_dashboard.failures()
        context |= {
            "queue": admin_dashboard.queue(),
            "days": admin_dashboard.days(),
            "failed": failed,
            "failed_count": failed_count,
            "last_applied": admin_dashboard.last_applied(),
        }
    return context
