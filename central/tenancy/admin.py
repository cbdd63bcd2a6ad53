"""Organisations and tokens in the admin. Tokens are made by the command, which shows them once."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from central.tenancy.models import ApiToken, Organization


@admin.register(Organization)
class OrganizationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Tenants."""

    list_display = ["slug", "github_owner_id", "embedder", "direct_uploads", "created_at"]
    search_fields = ["slug"]

    def get_readonly_fields(
        self, request: HttpRequest, obj: Organization | None = None
    ) -> list[str]:
        """The slug is given once: collections in the vector store are named by it."""
        del request
        return [] if obj is None else ["slug"]

    def has_delete_permission(self, request: HttpRequest, obj: Organization | None = None) -> bool:
        """Its points would stay in the vector store."""
        del request, obj
        return False


class ApiTokenForm(forms.ModelForm):  # type: ignore[type-arg]
    """A token as people edit it."""

    def clean_repositories(self) -> list[str] | None:
        """An empty field means every repository; an empty list would mean none."""
        return self.cleaned_data["repositories"] or None


class LifetimeFilter(admin.SimpleListFilter):
    """Those of jobs are many, and gone soon: they are listed when asked for."""

    title = "made"
    parameter_name = "made"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """What else there is than what is listed by itself."""
        del request, model_admin
        return [("job", "for a job, of its id token"), ("all", "either way")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Name the first choice by what it lists."""
        first, *others = super().choices(changelist)
        yield {**first, "display": "by an administrator"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
        """The tokens that last, unless others are asked for."""
        del request
        if self.value() == "all":
            return queryset
        return queryset.filter(is_short_lived=self.value() == "job")


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Tokens: what they may do, and revoking them."""

    list_display = ["prefix", "name", "organization", "scopes", "expires_at", "last_used_at"]
    form = ApiTokenForm
    list_filter = [LifetimeFilter, "organization"]
    fields = [
        "name",
        "scopes",
        "repositories",
        "visibilities",
        ("bound_repository_id", "bound_ref", "bound_commit"),
        "expires_at",
        "revoked_at",
        "last_used_at",
    ]
    readonly_fields = [
        "visibilities",
        "bound_repository_id",
        "bound_ref",
        "bound_commit",
        "last_used_at",
    ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A token is shown once, where it is made: `manage.py create_token`."""
        del request
        return False
