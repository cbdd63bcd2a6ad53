"""Documents and edges in the admin: where ADRs and policies are written by hand."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from central.common.errors import ServiceError
from central.knowledge.identifiers import MalformedIdError, document_key, parse_node_id
from central.knowledge.models import DOCUMENT_KINDS, Document, Edge, Node, NodeKind, Policy
from central.knowledge.rules import LANGUAGES, validate_rule
from central.knowledge.wakeup import wake
from central.repositories.models import Repository
from central.tenancy.administration import AuditedAdmin, HistoryAdmin
from central.tenancy.models import Organization
from indexer.limits import NODE_BODY_BYTES


class DocumentForm(forms.ModelForm):  # type: ignore[type-arg] # Django's own is not generic
    """A document with what its node says: organisation, project, kind."""

    organization = forms.ModelChoiceField(Organization.objects.all())
    project = forms.ModelChoiceField(
        Repository.objects.filter(retired_at=None), required=False, help_text="Empty: of none"
    )
    kind = forms.ChoiceField(choices=[(kind.value, kind.label) for kind in DOCUMENT_KINDS])

    class Meta:
        model = Document
        fields = ["public_id", "title", "body", "status", "author", "properties"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            node = self.instance.node
            self.fields["organization"].initial = node.organization_id
            self.fields["project"].initial = node.repository_id
            self.fields["kind"].initial = node.kind
            for name in ("organization", "project", "kind", "public_id"):
                self.fields[name].disabled = True

    def clean_public_id(self) -> str:
        """As `identifiers` reads it."""
        public_id: str = self.cleaned_data["public_id"]
        try:
            parse_node_id(public_id)
        except MalformedIdError as exc:
            raise ValidationError(str(exc)) from exc
        return public_id

    def clean_body(self) -> str:
        """Within its bound."""
        body: str = self.cleaned_data["body"]
        if len(body.encode()) > NODE_BODY_BYTES:
            raise ValidationError(f"A body has at most {NODE_BODY_BYTES:,} bytes.")
        return body

    def clean(self) -> dict[str, Any]:
        """A project of the organisation, and an id that is free there."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        organization, project = found.get("organization"), found.get("project")
        if project and organization and project.organization_id != organization.pk:
            raise ValidationError({"project": "It is of another organisation."})
        if not self.instance.pk and organization and found.get("public_id"):
            taken = Node.objects.filter(
                organization=organization,
                repository=project,
                key=document_key(found["public_id"]),
            )
            if taken.exists():
                raise ValidationError({"public_id": "There is such a node already."})
        return found

    def save(self, commit: bool = True) -> Document:
        """With its node; the version counts changes."""
        document: Document = self.instance
        if document.pk:
            document.version += 1
        else:
            document.node = Node.objects.create(
                organization=self.cleaned_data["organization"],
                repository=self.cleaned_data["project"],
                kind=self.cleaned_data["kind"],
                key=document_key(self.cleaned_data["public_id"]),
            )
            document.version = 1
        saved: Document = super().save(commit=commit)
        return saved


class PolicyForm(forms.ModelForm):  # type: ignore[type-arg]
    """A policy's rule, validated as the API does."""

    language = forms.ChoiceField(choices=[(name, name) for name in LANGUAGES])

    class Meta:
        model = Policy
        fields = ["rule", "language", "include", "exclude", "severity", "message"]

    def clean(self) -> dict[str, Any]:
        """ast-grep must be able to match the rule."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        try:
            validate_rule(found.get("rule", ""), language=found.get("language", ""))
        except ServiceError as exc:
            raise ValidationError({"rule": exc.message}) from exc
        return found

    def save(self, commit: bool = True) -> Policy:
        """What changes matches counts the rule's version up."""
        policy: Policy = self.instance
        if not policy._state.adding and {"rule", "language", "include", "exclude"} & set(
            self.changed_data
        ):
            policy.rule_version += 1
        saved: Policy = super().save(commit=commit)
        return saved


class PolicyInline(admin.StackedInline):  # type: ignore[type-arg]
    """The rule below the policy's text."""

    model = Policy
    form = PolicyForm
    extra = 0


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

    @admin.display(ordering="node__kind")
    def kind(self, obj: Document) -> str:
        """Of its node."""
        return NodeKind(obj.node.kind).label

    @admin.display(ordering="node__repository__name")
    def project(self, obj: Document) -> str:
        """Its repository."""
        return obj.node.repository.name if obj.node.repository else ""

    @admin.display(ordering="node__organization__slug")
    def organization(self, obj: Document) -> str:
        """Its organisation."""
        return obj.node.organization.slug

    def target_of(self, obj: Document) -> str:
        """As the services say it."""
        project = self.project(obj)
        return f"{project}/{obj.public_id}" if project else obj.public_id

    def organization_of(self, obj: Document) -> Organization:
        """Its node's."""
        return obj.node.organization

    def has_change_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        """Not of what a file says."""
        return super().has_change_permission(request, obj) and not (obj and obj.source_path)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """What follows from it is made in the background."""
        super().save_model(request, obj, form, change)
        transaction.on_commit(wake)

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        """With its node and edges."""
        self.audit(request, obj, "deleted")
        obj.node.delete()


@admin.register(Policy)
class PolicyAdmin(HistoryAdmin):
    """Policies are written with their document."""

    list_display = ["document", "language", "severity", "rule_version"]
    list_select_related = ["document"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        """They are found through their documents."""
        del request
        return False


@admin.register(Edge)
class EdgeAdmin(HistoryAdmin):
    """Edges, to be read; the API and the command line link."""

    list_display = ["source", "type", "target", "origin", "weight", "updated_at"]
    list_filter = ["type", "origin", "organization"]
    list_select_related = ["source", "target"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Newest first."""
        edges: QuerySet[Any] = super().get_queryset(request)
        return edges.order_by("-pk")
