"""Organisations and their members in the admin."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import TabularInline

from central.errors import ServiceError
from central.tenancy.admin.forms import VisibilityForm
from central.tenancy.admin_base import AuditedAdmin
from central.tenancy.models import Membership, Organization
from central.tenancy.services.organizations import require_embedder
from indexer.errors import EmbeddingError


class OrganizationForm(forms.ModelForm):  # type: ignore[type-arg]
    def clean_embedder(self) -> str:
        """Request one embedding from a new embedder, as `manage.py set_embedder` does."""
        embedder: str = self.cleaned_data["embedder"]
        if "embedder" in self.changed_data:
            try:
                require_embedder(embedder)
            except ServiceError as exc:
                raise forms.ValidationError(exc.message) from exc
            except EmbeddingError as exc:
                raise forms.ValidationError(f"It does not serve: {exc}") from exc
        return embedder


class MembershipForm(VisibilityForm):
    class Meta:
        model = Membership
        fields = ["user", "organization", "role", "repositories", "visibilities"]


class MembershipInline(TabularInline):  # type: ignore[misc] # unfold has no types
    model = Membership
    form = MembershipForm
    fields = ["user", "role", "repositories", "visibilities"]
    autocomplete_fields = ["user"]
    extra = 0
    per_page = 20
    hide_title = True


@admin.register(Organization)
class OrganizationAdmin(AuditedAdmin):
    """Organisations, which are the tenants."""

    form = OrganizationForm
    list_display = ["slug", "github_owner_id", "embedder", "direct_uploads", "created_at"]
    search_fields = ["slug"]
    fields = ["slug", "github_owner_id", "embedder", "direct_uploads"]
    inlines = [MembershipInline]

    def organization_of(self, obj: Organization) -> Organization:
        return obj

    def get_readonly_fields(
        self, request: HttpRequest, obj: Organization | None = None
    ) -> list[str]:
        """Fix the slug after creation: collections in the vector store carry it."""
        return [] if obj is None else ["slug"]

    def has_delete_permission(self, request: HttpRequest, obj: Organization | None = None) -> bool:
        """Refuse it: points would stay in the vector store."""
        return False


@admin.register(Membership)
class MembershipAdmin(AuditedAdmin):
    form = MembershipForm
    list_display = ["user", "organization", "role", "sees", "created_at"]
    list_filter = ["role", "organization"]
    list_select_related = ["user", "organization"]
    search_fields = ["user__username", "user__email", "organization__slug"]
    autocomplete_fields = ["user", "organization"]

    def target_of(self, obj: Membership) -> str:
        return obj.user.get_username()

    def get_readonly_fields(self, request: HttpRequest, obj: Membership | None = None) -> list[str]:
        """Fix person and organisation: with others it is a different membership."""
        return [] if obj is None else ["user", "organization"]

    @admin.display(description="sees")
    def sees(self, membership: Membership) -> str:
        limits: list[Any] = [membership.visibilities, membership.repositories]
        if [] in limits:
            return "nothing"
        return "; ".join(", ".join(limit) for limit in limits if limit) or "everything"
