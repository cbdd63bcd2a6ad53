"""The graph's requests as they come, and its answers as the schema describes them."""

from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers

from central.ast_grep import LANGUAGES
from central.http.parameters import (
    OrganizationSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
)
from central.knowledge.adrs import NODE_TITLE_CHARACTERS
from central.knowledge.models import NodeKind, Severity
from central.knowledge.services.documents import NewDocument
from central.knowledge.services.links import Link
from central.knowledge.services.not_run import LISTED_NODES
from central.knowledge.services.questions import NodeFilter, Traversal
from central.knowledge.traversal import Direction
from indexer.globs import excess, ignore_spec
from indexer.limits import (
    CONTEXT_TOKENS,
    EDGE_TYPE_CHARACTERS,
    NODE_BODY_BYTES,
    NODE_ID_CHARACTERS,
    RULE_BYTES,
)

TRAVERSAL_DEPTH: Final = 5
TRAVERSED_NODES: Final = 1_000
POLICY_PATTERNS: Final = 100
DOCUMENT_KINDS = [NodeKind.KNOWLEDGE.value, NodeKind.POLICY.value, NodeKind.MEMORY.value]


class NodeIdField(StrictCharField):
    def __init__(self, **options: Any) -> None:
        options.setdefault(
            "help_text", "ADR-042, PROJECT/ADR-042, code:PROJECT/PATH or code:PROJECT/PATH#NAME"
        )
        super().__init__(max_length=NODE_ID_CHARACTERS, trim_whitespace=True, **options)


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


class ListNodesSerializer(OrganizationSerializer):
    """`GET /graph/nodes`."""

    kind = StrictChoiceField(choices=DOCUMENT_KINDS, required=False)
    project = StrictCharField(max_length=200, required=False)
    query = StrictCharField(
        max_length=200, required=False, help_text="A part of the id or the title, in any case"
    )
    archived = StrictBooleanField(
        required=False, help_text="Only those whose file is gone, or only the others"
    )
    limit = StrictIntegerField(min_value=1, max_value=LISTED_NODES, default=50)
    cursor = StrictCharField(max_length=1_000, required=False, help_text="next_cursor of a page")

    def node_filter(self, query: Mapping[str, Any]) -> NodeFilter:
        return NodeFilter(**self.checked(query))


class _FromSerializer(OrganizationSerializer):
    def get_fields(self) -> dict[str, Any]:
        """With `from`, which is no name in Python."""
        return {"from": NodeIdField(), **super().get_fields()}


class LinkSerializer(_FromSerializer):
    """`POST` and `DELETE /graph/links`."""

    to = NodeIdField()
    type = StrictCharField(
        max_length=EDGE_TYPE_CHARACTERS, help_text="Such as implements or derived_from"
    )
    weight = StrictFloatField(min_value=0.0, max_value=1.0, required=False, allow_null=True)
    properties = serializers.DictField(required=False)

    def link(self, body: Mapping[str, Any]) -> Link:
        found = self.checked(body)
        return Link(source=found.pop("from"), target=found.pop("to"), **found)


class TraverseSerializer(_FromSerializer):
    """`GET /graph/traverse`."""

    types = serializers.ListField(
        child=StrictCharField(max_length=EDGE_TYPE_CHARACTERS),
        min_length=1,
        max_length=20,
        required=False,
        help_text="Edges to follow; default: every type",
    )
    direction = StrictChoiceField(choices=list(Direction), default=str(Direction.BOTH))
    depth = StrictIntegerField(min_value=1, max_value=TRAVERSAL_DEPTH, default=1)
    limit = StrictIntegerField(
        min_value=1,
        max_value=TRAVERSED_NODES,
        default=100,
        help_text="Nodes at most, nearest first",
    )

    def traversal(self, query: Mapping[str, Any]) -> Traversal:
        found = self.checked(query)
        types = found.pop("types", None)
        return Traversal(
            source=found.pop("from"),
            types=None if types is None else tuple(types),
            direction=Direction(found.pop("direction")),
            **found,
        )


class ProjectQuestionSerializer(OrganizationSerializer):
    """Of a project, a page at a time."""

    project = StrictCharField(max_length=200)
    limit = StrictIntegerField(min_value=1, max_value=LISTED_NODES, default=50)
    cursor = StrictCharField(max_length=3_000, required=False, help_text="next_cursor of a page")


class UnmigratedSerializer(ProjectQuestionSerializer):
    """`GET /graph/unmigrated`."""

    path = StrictCharField(
        max_length=1_024, required=False, help_text="What a file's path begins with"
    )


class RelatedSerializer(OrganizationSerializer):
    """`GET /graph/related`."""

    id = NodeIdField()
    target_type = StrictChoiceField(
        choices=["code", *DOCUMENT_KINDS], help_text="knowledge: decisions and policies"
    )
    limit = StrictIntegerField(min_value=1, max_value=45, default=10)

    def question(self, query: Mapping[str, Any]) -> dict[str, Any]:
        found = self.checked(query)
        return {"text": found.pop("id"), **found}


class ContextSerializer(OrganizationSerializer):
    """`GET /graph/context`."""

    project = StrictCharField(max_length=200)
    file = StrictCharField(max_length=1_024)
    max_tokens = StrictIntegerField(min_value=200, max_value=CONTEXT_TOKENS, default=4_000)
