"""Tokens in the admin, read-only and without their digests."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

from central.tenancy.admin_base import ReadOnlyAdmin
from central.tenancy.models import ApiToken


class LifetimeFilter(admin.SimpleListFilter):
    """A filter by origin; by default it hides the many short-lived tokens of jobs."""

    title = "made"
    parameter_name = "made"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("job", "for a job, of its id token"), ("all", "either way")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield {**first, "display": "by a person"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
        if self.value() == "all":
            return queryset
        return queryset.filter(is_short_lived=self.value() == "job")


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    paginator = Paginator
    list_display = [
        *("prefix", "name", "organization", "owner", "scopes"),
        *("expires_at", "revoked_at", "last_used_at"),
    ]
    list_filter = [LifetimeFilter, "organization", ("revoked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["organization", "owner"]
    search_fields = ["prefix", "name", "owner__username"]
    fields = [
        *("organization", "name", "scopes", "repositories", "visibilities", "expires_at"),
        *("owner", "created_at", "revoked_at", "last_used_at"),
        *("bound_repository_id", "bound_project", "bound_ref", "bound_commit"),
    ]
