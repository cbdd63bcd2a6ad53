"""Receivers and open alerts in the admin, read-only."""

from django.contrib import admin

from central.alerts.models import AlertDestination, RepositoryAlert
from central.tenancy.admin_base import ReadOnlyAdmin, when


@admin.register(AlertDestination)
class AlertDestinationAdmin(ReadOnlyAdmin):
    """Receivers, without their addresses."""

    list_display = ["organization", "delivered_at", "attempts", "error", "suspended_at"]
    list_filter = [when("suspended_at"), "organization"]
    list_select_related = ["organization"]
    search_fields = ["organization__slug"]
    exclude = ["sealed_address"]


@admin.register(RepositoryAlert)
class RepositoryAlertAdmin(ReadOnlyAdmin):
    """What is wrong with repositories, and whether it was reported."""

    list_display = ["repository", "condition", "since", "reported_at", "ended_at"]
    list_filter = [when("since"), "condition", "organization"]
    list_select_related = ["repository__organization"]
    search_fields = ["repository__name", "organization__slug"]
