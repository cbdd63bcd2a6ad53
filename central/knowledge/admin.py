"""Documents and edges in the admin: where ADRs, policies and links are written by hand."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.paginator import InfinitePaginator

from central.background import GRAPH
from central.knowledge.admin_forms import DocumentForm, LinkForm, PolicyForm, PolicyFormSet
from central.knowledge.models import Document, Edge, NodeKind, Origin, Policy
from central.knowledge.services.documents import remove_node
from central.knowledge.services.links import relink
from central.tenancy.admin_base import AuditedAdmin, ReadOnlyAdmin
from central.tenancy.audit import user_actor
from central.tenancy.models import Organization


class PolicyInline(admin.StackedInline):  # type: ignore[type-arg]
    """The rule below the policy's text."""

    model = Policy
    form = PolicyForm
    formset = PolicyFormSet
    extra = 0
    can_delete = False


@admin.register(Document)
class DocumentAdmin(AuditedAdmin):
    """What was read from a file of a repository is changed there."""

    noun = "node"
    form = DocumentForm
    inlines = [PolicyInline]
    list_display = ["public_id", "title", "kind", "project", "organization", "status", "updated_at"]
    list_filter = ["node__kind", "node__organization"]
    list_select_related = ["node__organization", "node__repository"]
    search_fields = ["public_id", "title"]

    def get_fields(self, request: HttpRequest, obj: Document | None = None) -> Any:
        """What a file says is shown as it is stored."""
        if self.has_change_permission(request, obj):
            return super().get_fields(request, obj)
        return [
            *("public_id", "title", "kind", "project", "organization", "status"),
            *("source_path", "archived_at", "body", "properties"),
        ]

    @admin.display(ordering="node__kind")
    def kind(self, obj: Document) -> str:
        return NodeKind(obj.node.kind).label

    @admin.display(ordering="node__repository__name")
    def project(self, obj: Document) -> str:
        return obj.node.repository.name if obj.node.repository else ""

    @admin.display(ordering="node__organization__slug")
    def organization(self, obj: Document) -> str:
        return obj.node.organization.slug

    def target_of(self, obj: Document) -> str:
        project = self.project(obj)
        return f"{project}/{obj.public_id}" if project else obj.public_id

    def organization_of(self, obj: Document) -> Organization:
        return obj.node.organization

    def has_change_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        """Not of what a file says."""
        return super().has_change_permission(request, obj) and not (obj and obj.source_path)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """What follows from it is made in the background."""
        super().save_model(request, obj, form, change)
        transaction.on_commit(GRAPH.wake)

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        """With its node and edges."""
        self.audit(request, obj, "deleted")
        remove_node(obj.node)
        transaction.on_commit(GRAPH.wake)


@admin.register(Policy)
class PolicyAdmin(ReadOnlyAdmin):
    """Policies are written with their document."""

    list_display = ["document", "language", "severity", "rule_version"]
    list_select_related = ["document"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        """They are found through their documents."""
        return False


@admin.register(Edge)
class EdgeAdmin(AuditedAdmin):
    """Explicit edges are added and deleted; the others follow from code and documents."""

    form = LinkForm
    paginator = InfinitePaginator
    actions = None
    fields = ["organization", "source_id_text", "type", "target_id_text", "weight", "properties"]
    list_display = ["source", "type", "target", "origin", "weight", "updated_at"]
    list_filter = ["type", "origin", "organization"]
    list_select_related = ["source", "target"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        edges: QuerySet[Any] = super().get_queryset(request)
        return edges.order_by("-pk")

    def get_fields(self, request: HttpRequest, obj: Edge | None = None) -> Any:
        """An edge that is there is shown as it is stored."""
        if obj is None:
            return super().get_fields(request, obj)
        return ["source", "type", "target", "origin", "weight", "cosine", "properties", "author"]

    def has_change_permission(self, request: HttpRequest, obj: Edge | None = None) -> bool:
        """To change a link, delete it and add another."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Edge | None = None) -> bool:
        is_explicit = obj is None or obj.origin == Origin.EXPLICIT
        return is_explicit and super().has_delete_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: Edge) -> None:
        """A mention in a file may say the same."""
        super().delete_model(request, obj)
        relink(obj.source_id, obj.target_id)
        transaction.on_commit(GRAPH.wake)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """In the name of who is signed in; what follows from it is made in the background."""
        obj.origin, obj.author = Origin.EXPLICIT, user_actor(request.user)  # type: ignore[arg-type]
        super().save_model(request, obj, form, change)
        transaction.on_commit(GRAPH.wake)
