"""The forms of the admin: documents, rules and links, checked as the API checks them."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BaseInlineFormSet
from rest_framework import serializers

from central.ast_grep import LANGUAGES
from central.errors import InvalidError, ServiceError
from central.knowledge.identifiers import document_key
from central.knowledge.models import DOCUMENT_KINDS, Document, Edge, Node, NodeKind, Policy
from central.knowledge.rules import validate_rule
from central.knowledge.serializers import PatternsField
from central.knowledge.services.documents import (
    require_document_id,
    require_properties,
    require_room_for_policy,
)
from central.knowledge.services.links import Link, ends_of
from central.repositories.models import Repository
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization, Scope
from indexer.limits import NODE_BODY_BYTES, NODE_ID_CHARACTERS


class DocumentForm(forms.ModelForm):  # type: ignore[type-arg] # Django's own is not generic
    """A document with what its node says: organisation, project, kind."""

    organization = forms.ModelChoiceField(Organization.objects.all())
    project = forms.ModelChoiceField(
        Repository.objects.filter(retired_at=None), required=False, help_text="Empty: of none"
    )
    kind = forms.ChoiceField(choices=[(kind.value, kind.label) for kind in DOCUMENT_KINDS])
    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = Document
        fields = ["public_id", "title", "body", "status", "author", "properties"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and "public_id" in self.fields:  # not where it is only shown
            node = self.instance.node
            self.fields["organization"].initial = node.organization_id
            self.fields["project"].initial = node.repository_id
            self.fields["kind"].initial = node.kind
            self.fields["seen_version"].initial = self.instance.version
            for name in ("organization", "project", "kind", "public_id"):
                self.fields[name].disabled = True

    def clean_public_id(self) -> str:
        public_id: str = self.cleaned_data["public_id"]
        try:
            require_document_id(public_id)
        except InvalidError as exc:
            raise ValidationError(exc.message) from exc
        return public_id

    def clean_body(self) -> str:
        body: str = self.cleaned_data["body"]
        if len(body.encode()) > NODE_BODY_BYTES:
            raise ValidationError(f"A body has at most {NODE_BODY_BYTES:,} bytes.")
        return body

    def clean_properties(self) -> dict[str, Any]:
        properties: Any = self.cleaned_data["properties"]
        if not isinstance(properties, dict):
            raise ValidationError('Properties are an object, such as {"team": "payments"}.')
        try:
            require_properties(properties)
        except InvalidError as exc:
            raise ValidationError(exc.message) from exc
        return properties

    def clean(self) -> dict[str, Any]:
        """A project of the organisation, a free id there, and no other change."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        if self.instance.pk:
            current = Document.objects.select_for_update(no_key=True).get(pk=self.instance.pk)
            if current.version != found.get("seen_version"):
                raise ValidationError(
                    "Another person changed this since you opened it. Copy what you wrote, open "
                    "the page again and change that."
                )
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
            if found.get("kind") == NodeKind.POLICY:
                try:
                    require_room_for_policy(organization)
                except ServiceError as exc:
                    raise ValidationError(exc.message) from exc
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


def _patterns(value: Any) -> list[str]:
    try:
        patterns: list[str] = PatternsField().run_validation(value)
    except serializers.ValidationError as exc:
        raise ValidationError(f'A list of patterns, such as ["src/**"]: {exc.detail}') from exc
    return patterns


class PolicyForm(forms.ModelForm):  # type: ignore[type-arg]
    """A policy's rule, validated as the API does."""

    language = forms.ChoiceField(choices=[(name, name) for name in LANGUAGES])

    class Meta:
        model = Policy
        fields = ["rule", "language", "include", "exclude", "severity", "message"]

    def clean_include(self) -> list[str]:
        return _patterns(self.cleaned_data["include"])

    def clean_exclude(self) -> list[str]:
        return _patterns(self.cleaned_data["exclude"])

    def clean(self) -> dict[str, Any]:
        """ast-grep must be able to match a rule that is new or changed."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        if not {"rule", "language"} & set(self.changed_data):
            return found
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


class PolicyFormSet(BaseInlineFormSet):  # type: ignore[type-arg]
    """The rule of a policy, and none of another document."""

    def clean(self) -> None:
        super().clean()
        kind = self.instance.node.kind if self.instance.pk else self.data.get("kind")
        rules = [form for form in self.forms if form.has_changed() or form.instance.pk]
        if kind == NodeKind.POLICY and not rules:
            raise ValidationError("A policy needs a rule: add one below.")
        if kind != NodeKind.POLICY and rules:
            raise ValidationError("Only a policy has a rule: remove it, or choose that kind.")


class LinkForm(forms.ModelForm):  # type: ignore[type-arg]
    """An explicit edge; its ends as ids."""

    organization = forms.ModelChoiceField(Organization.objects.all())
    source_id_text = forms.CharField(
        label="From", max_length=NODE_ID_CHARACTERS, help_text="code:shop/refunds.py, or ADR-042"
    )
    target_id_text = forms.CharField(label="To", max_length=NODE_ID_CHARACTERS)
    weight = forms.FloatField(required=False, min_value=0, max_value=1)

    class Meta:
        model = Edge
        fields = ["type", "weight", "properties"]

    def clean(self) -> dict[str, Any]:
        """What the API says of the two ends, the type and the properties."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return found
        credential = Credential(found["organization"], frozenset({Scope.INDEX}), None, None)
        asked = Link(
            found["source_id_text"],
            found["target_id_text"],
            found["type"],
            found["weight"],
            found["properties"] or {},
        )
        try:
            self.instance.source, self.instance.target = ends_of(asked, credential=credential)
        except ServiceError as exc:
            raise ValidationError(exc.message) from exc
        ends = {"source": self.instance.source, "target": self.instance.target}
        if Edge.objects.filter(**ends, type=asked.type).exists():
            raise ValidationError("There is this edge already. Delete it first to change it.")
        self.instance.organization = found["organization"]
        return found
