"""The admin's front page: what is fresh, what waits, what failed, for those who may see it."""

from typing import Any

from django.http import HttpRequest

from central.web import overview


def front_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The figures, added to the page's context (UNFOLD's DASHBOARD_CALLBACK)."""
    if request.user.has_perm("repositories.view_repository"):
        context |= {
            "freshness": overview.freshness(),
            "largest": overview.largest_repositories(),
            "embedders": overview.embedders(),
            "store": overview.store_name(),
        }
    if request.user.has_perm("ingest.view_indexrun"):
        failed, failed_count = overview.failures()
        context |= {
            "queue": overview.queue(),
            "days": overview.days(),
            "failed": failed,
            "failed_count": failed_count,
            "last_applied": overview.last_applied(),
        }
    return context
