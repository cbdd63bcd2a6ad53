"""Saved searches in the admin, read-only and without their queries."""

from django.contrib import admin

from central.saved_searches.models import SavedSearch
from central.tenancy.admin_base import ReadOnlyAdmin, when


@admin.register(SavedSearch)
class SavedSearchAdmin(ReadOnlyAdmin):
    """Who has saved, shared and watches searches."""

    list_display = ["name", "organization", "owner", "is_shared", "is_watched", "problem"]
    list_filter = [when("created_at"), "is_shared", "is_watched", "organization"]
    list_select_related = ["organization", "owner"]
    search_fields = ["name", "organization__slug", "owner__username"]
    exclude = ["request"]
