"""Backfills and their queue in the admin, read-only."""

from django.contrib import admin

from central.onboarding.models import Backfill, BackfillRepository
from central.tenancy.admin_base import ReadOnlyAdmin, when


@admin.register(Backfill)
class BackfillAdmin(ReadOnlyAdmin):
    """Requests to index whole owners."""

    list_display = [
        "created_at", "organization", "owner", "state", "requested_by", "authority", "error",
    ]  # fmt: skip
    list_filter = [when("created_at"), "state", "organization"]
    list_select_related = ["organization"]
    search_fields = ["owner", "organization__slug"]


@admin.register(BackfillRepository)
class BackfillRepositoryAdmin(ReadOnlyAdmin):
    """Repositories that the service clones, with the last error of each."""

    list_display = [
        "name", "organization", "state", "requested_by", "attempts", "seconds", "ended_at", "error",
    ]  # fmt: skip
    list_filter = ["state", "organization"]
    list_select_related = ["organization"]
    search_fields = ["name"]
