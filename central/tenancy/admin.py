"""Organisations and tokens in the admin. Tokens are made by the command, which shows them once."""

from django.contrib import admin
from django.http import HttpRequest

from central.tenancy.models import ApiToken, Organization


@admin.register(Organization)
class OrganizationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Tenants."""

    list_display = ["slug", "github_owner_id", "embedder", "created_at"]
    search_fields = ["slug"]


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Tokens: what they may do, and revoking them."""

    list_display = ["prefix", "name", "organization", "scopes", "expires_at", "last_used_at"]
    list_filter = ["organization"]
    fields = ["name", "scopes", "repositories", "expires_at", "revoked_at", "last_used_at"]
    readonly_fields = ["last_used_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A token is shown once, where it is made: `manage.py create_token`."""
        del request
        return False
