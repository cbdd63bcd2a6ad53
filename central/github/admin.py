"""What an organisation allows GitHub's jobs, in the admin."""

from django.contrib import admin
from django.http import HttpRequest

from central.github.models import GitHubDelivery, GitHubPolicy


@admin.register(GitHubPolicy)
class GitHubPolicyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Keyless trust, switched on and off; `manage.py github_policy` does the same."""

    list_display = ["organization", "enabled", "events", "refs", "job_workflow_refs", "impact"]
    readonly_fields = ["installation_id"]


@admin.register(GitHubDelivery)
class GitHubDeliveryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """What GitHub's webhooks told, and what became of it."""

    list_display = ["received_at", "organization", "event", "outcome", "delivery_id"]
    list_filter = ["organization", "event"]
    search_fields = ["delivery_id"]
    date_hierarchy = "received_at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """GitHub makes them."""
        del request
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: GitHubDelivery | None = None
    ) -> bool:
        """They are history."""
        del request, obj
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: GitHubDelivery | None = None
    ) -> bool:
        """One that is sent again must be known; old ones are deleted nightly."""
        del request, obj
        return False
