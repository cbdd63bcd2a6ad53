"""The graph's requests as they come, and its answers as the schema describes them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from rest_framework import serializers

from aeterna_code_search.contract.knowledge import (
    DOCUMENT_KINDS,
    ContextRequest,
    Link,
    NodeFilter,
    RelatedRequest,
    Traversal,
    UnmigratedRequest,
    ViolationsRequest,
)
from central.ast_grep import LANGUAGES
from central.http.parameters import (
    OrganizationSerializer,
    StrictCharField,
    StrictChoiceField,
    StrictSerializer,
)
from central.http.requests import request_serializer
from central.knowledge.adrs import NODE_TITLE_CHARACTERS
from central.knowledge.models import NodeKind, Severity
from central.knowledge.services.documents import NewDocument
from indexer.globs import excess, ignore_spec
from indexer.limits import NODE_BODY_BYTES, RULE_BYTES

POLICY_PATTERNS: Final = 100


class PatternsField(serializers.ListField):
    """Patterns of paths as in .gitignore."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=StrictCharField(), max_length=POLICY_PATTERNS, **options)

    def to_internal_value(self, data: Any) -> list[str]:
        """Refuse what `indexer.globs` does not match."""
        patterns: list[str] = super().to_internal_value(data)
        for pattern in patterns:
            if problem := excess(pattern):
                raise serializers.ValidationError([f"A pattern is {problem}: shorten it."])
        try:
            ignore_spec(patterns)
        except ValueError as exc:
            raise serializers.ValidationError([f"That is no pattern of .gitignore: {exc}"]) from exc
        return patterns


class PolicyMembersSerializer(StrictSerializer):
    """The rule of a policy."""

    rule = StrictCharField(
        max_length=RULE_BYTES, help_text="YAML of ast-grep: rule, constraints, utils"
    )
    language = StrictChoiceField(choices=list(LANGUAGES))
    include = PatternsField(required=False, help_text="Paths that it holds for; empty: all")
    exclude = PatternsField(required=False, help_text="Paths that it does not hold for")
    severity = StrictChoiceField(choices=Severity.values, required=False)
    message = StrictCharField(max_length=500, required=False, allow_blank=True)


class _DocumentMembersSerializer(OrganizationSerializer):
    body = StrictCharField(
        required=False,
        allow_blank=True,
        help_text=f"Markdown, at most {NODE_BODY_BYTES:,} bytes",
    )
    status = StrictCharField(max_length=40, required=False, allow_blank=True)
    properties = serializers.DictField(required=False)
    author = StrictCharField(max_length=200, required=False, allow_blank=True)


class CreateNodeSerializer(_DocumentMembersSerializer):
    """`POST /graph/nodes`."""

    kind = StrictChoiceField(choices=DOCUMENT_KINDS)
    title = StrictCharField(max_length=NODE_TITLE_CHARACTERS, trim_whitespace=True)
    id = StrictCharField(max_length=100, required=False, help_text="Such as ADR-042; else made")
    project = StrictCharField(max_length=200, required=False, allow_null=True)
    policy = PolicyMembersSerializer(required=False)

    def new_document(self, body: Mapping[str, Any]) -> NewDocument:
        found = self.checked(body)
        kind, public_id = NodeKind(found.pop("kind")), found.pop("id", "")
        return NewDocument(kind=kind, public_id=public_id, **found)


class UpdateNodeSerializer(_DocumentMembersSerializer):
    """`PATCH /graph/nodes/{id}`: what is given changes."""

    title = StrictCharField(max_length=NODE_TITLE_CHARACTERS, trim_whitespace=True, required=False)
    rule = StrictCharField(max_length=RULE_BYTES, required=False)
    language = StrictChoiceField(choices=list(LANGUAGES), required=False)
    include = PatternsField(required=False)
    exclude = PatternsField(required=False)
    severity = StrictChoiceField(choices=Severity.values, required=False)
    message = StrictCharField(max_length=500, required=False, allow_blank=True)


ListNodesSerializer = request_serializer(NodeFilter, name="ListNodes")
TraverseSerializer = request_serializer(Traversal, name="Traverse")
ProjectQuestionSerializer = request_serializer(ViolationsRequest, name="ProjectQuestion")
UnmigratedSerializer = request_serializer(UnmigratedRequest, name="Unmigrated")
RelatedSerializer = request_serializer(RelatedRequest, name="Related")
ContextSerializer = request_serializer(ContextRequest, name="Context")


class LinkSerializer(request_serializer(Link)):  # type: ignore[misc]
    properties = serializers.DictField(required=False)

    def record_of(self, given: dict[str, Any]) -> Link:
        """Return the link with its properties."""
        link: Link = super().record_of(given)
        return replace(link, properties=given.get("properties", {}))
