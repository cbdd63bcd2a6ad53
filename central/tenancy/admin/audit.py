"""The audit log in the admin: readable and searchable, never changed."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from central.tenancy.admin_base import ReadOnlyAdmin, when
from central.tenancy.models import AuditEntry, Organization

_NONE = "-"  # no slug: what is of no organisation


class ActionFilter(admin.SimpleListFilter):
    """A filter by the noun of the action; a list of all actions would read the whole log."""

    title = "of"
    parameter_name = "of"
    nouns = (
        *("organization", "membership", "invitation", "user", "group", "token"),
        *("repository", "backfill", "github_policy", "vectors", "backup"),
    )

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(noun, noun.replace("_", " ")) for noun in self.nouns]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> Any:
        noun = self.value()
        return queryset.filter(action__startswith=f"{noun}.") if noun else queryset


class SlugFilter(admin.SimpleListFilter):
    """A filter by present organisation; the search finds entries of former ones."""

    title = "organization"
    parameter_name = "organization"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        slugs = Organization.objects.values_list("slug", flat=True)
        return [(_NONE, "none"), *((slug, slug) for slug in slugs)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> Any:
        if (slug := self.value()) is None:
            return queryset
        return queryset.filter(organization="" if slug == _NONE else slug)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "action", "organization", "target", "changes"]
    list_filter = [when("at"), ActionFilter, SlugFilter]
    search_fields = ["actor", "action", "organization", "target", "request_id"]
    search_help_text = "Actor, action, organisation, what was changed, or the request's id"
    fields = ["at", "actor", "action", "organization", "target", "values", "request_id"]
    readonly_fields = ["values"]

    @admin.display(description="changes")
    def changes(self, entry: AuditEntry) -> str:
        return ", ".join(entry.detail)

    @admin.display(description="detail")
    def values(self, entry: AuditEntry) -> SafeString:
        return format_html("<pre>{}</pre>", json.dumps(entry.detail, indent=2, ensure_ascii=False))
