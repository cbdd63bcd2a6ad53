"""Documents and edges in the admin, read-only."""

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest

from central.knowledge.models import Document, Edge, NodeKind, Policy
from central.tenancy.admin_base import ReadOnly, ReadOnlyAdmin


class PolicyInline(ReadOnly, admin.StackedInline):  # type: ignore[type-arg]
    """The rule below the policy's text."""

    model = Policy
    extra = 0


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    paginator = Paginator
    inlines = [PolicyInline]
    list_display = ["public_id", "title", "kind", "project", "organization", "status", "updated_at"]
    list_filter = ["node__kind", "node__organization"]
    list_select_related = ["node__organization", "node__repository"]
    search_fields = ["public_id", "title"]
    fields = [
        *("public_id", "title", "kind", "project", "organization", "status", "author"),
        *("source_path", "archived_at", "body", "properties"),
    ]
    readonly_fields = ["kind", "project", "organization"]

    @admin.display(ordering="node__kind")
    def kind(self, obj: Document) -> str:
        return NodeKind(obj.node.kind).label

    @admin.display(ordering="node__repository__name")
    def project(self, obj: Document) -> str:
        return obj.node.repository.name if obj.node.repository else ""

    @admin.display(ordering="node__organization__slug")
    def organization(self, obj: Document) -> str:
        return obj.node.organization.slug


@admin.register(Policy)
class PolicyAdmin(ReadOnlyAdmin):
    """Policies, which are found through their documents."""

    list_display = ["document", "language", "severity", "rule_version"]
    list_select_related = ["document"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Edge)
class EdgeAdmin(ReadOnlyAdmin):
    list_display = ["source", "type", "target", "origin", "weight", "updated_at"]
    list_filter = ["type", "origin", "organization"]
    list_select_related = ["source", "target"]
    ordering = ["-pk"]
    fields = ["source", "type", "target", "origin", "weight", "cosine", "properties", "author"]
