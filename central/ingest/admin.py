"""Runs in the admin, to be read."""

from django.contrib import admin
from django.http import HttpRequest

from central.ingest.models import IndexRun


@admin.register(IndexRun)
class IndexRunAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """What every run did and how it ended."""

    list_display = ["id", "repository", "state", "mode", "reason", "commit_sha", "opened_at"]
    list_filter = ["state", "mode", "reason"]
    list_select_related = ["repository__organization"]
    date_hierarchy = "opened_at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Runs are opened by indexers."""
        del request
        return False

    def has_change_permission(self, request: HttpRequest, obj: IndexRun | None = None) -> bool:
        """Runs are history."""
        del request, obj
        return False
