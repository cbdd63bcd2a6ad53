"""GitHub's policies and webhook deliveries in the admin, read-only."""

from django.contrib import admin
from django.core.paginator import Paginator

from central.github.models import GitHubDelivery, GitHubPolicy
from central.tenancy.admin_base import ReadOnlyAdmin, when


@admin.register(GitHubPolicy)
class GitHubPolicyAdmin(ReadOnlyAdmin):
    """Keyless trust of an organisation, as `manage.py github_policy` sets it."""

    paginator = Paginator
    list_display = ["organization", "enabled", "events", "refs", "job_workflow_refs", "impact"]
    list_filter = ["enabled", "impact"]
    list_select_related = ["organization"]
    search_fields = ["organization__slug"]


@admin.register(GitHubDelivery)
class GitHubDeliveryAdmin(ReadOnlyAdmin):
    """Webhook deliveries and their outcomes."""

    list_display = ["received_at", "organization", "event", "outcome", "delivery_id"]
    list_filter = [when("received_at"), "organization"]
    list_select_related = ["organization"]
    search_fields = ["delivery_id", "event"]
    search_help_text = "GitHub's id of the delivery, or the event"
