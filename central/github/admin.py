"""What an organisation allows GitHub's jobs, in the admin."""

from django.contrib import admin

from central.github.models import GitHubPolicy


@admin.register(GitHubPolicy)
class GitHubPolicyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Keyless trust, switched on and off; `manage.py github_policy` does the same."""

    list_display = ["organization", "enabled", "events", "refs", "job_workflow_refs", "impact"]
    readonly_fields = ["installation_id"]
