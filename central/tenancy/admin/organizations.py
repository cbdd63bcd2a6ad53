"""Organisations and their members in the admin, read-only."""

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from unfold.admin import TabularInline

from central.tenancy.admin_base import ReadOnly, ReadOnlyAdmin
from central.tenancy.models import Membership, Organization


class MembershipInline(ReadOnly, TabularInline):  # type: ignore[misc] # unfold has no types
    model = Membership
    fields = ["user", "role", "repositories", "visibilities"]
    per_page = 20
    hide_title = True


@admin.register(Organization)
class OrganizationAdmin(ReadOnlyAdmin):
    """Organisations, which are the tenants."""

    paginator = Paginator
    list_display = ["slug", "github_owner_id", "embedder", "direct_uploads", "created_at"]
    search_fields = ["slug"]
    fields = ["slug", "github_owner_id", "embedder", "direct_uploads"]
    inlines = [MembershipInline]


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    paginator = Paginator
    list_display = ["user", "organization", "role", "sees", "created_at"]
    list_filter = ["role", "organization"]
    list_select_related = ["user", "organization"]
    search_fields = ["user__username", "user__email", "organization__slug"]
    fields = ["user", "organization", "role", "repositories", "visibilities"]

    @admin.display(description="sees")
    def sees(self, membership: Membership) -> str:
        limits: list[Any] = [membership.visibilities, membership.repositories]
        if [] in limits:
            return "nothing"
        return "; ".join(", ".join(limit) for limit in limits if limit) or "everything"
