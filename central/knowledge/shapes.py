"""The graph's answers as the schema describes them; `answers` and the services have the records."""

from typing import Any

from rest_framework import serializers

from central.knowledge.models import NodeKind
from central.repositories.views import AnsweringProjectSerializer


class PolicySerializer(serializers.Serializer[Any]):
    """The rule of a policy."""

    rule = serializers.CharField()
    language = serializers.CharField()
    include = serializers.ListField(child=serializers.CharField())
    exclude = serializers.ListField(child=serializers.CharField())
    severity = serializers.CharField()
    message = serializers.CharField()


class NodeSerializer(serializers.Serializer[Any]):
    """A node."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=NodeKind.values)
    project = serializers.CharField(allow_null=True)
    title = serializers.CharField()
    body = serializers.CharField(help_text="Markdown; empty in lists and traversals")
    status = serializers.CharField()
    properties = serializers.DictField()
    author = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="A document's entity tag")
    archived = serializers.BooleanField(help_text="The file that it came from is gone")
    created_at = serializers.DateTimeField(allow_null=True)
    updated_at = serializers.DateTimeField(allow_null=True)
    policy = PolicySerializer(allow_null=True)
    path = serializers.CharField(allow_null=True)
    qualified_name = serializers.CharField(allow_null=True)
    start_line = serializers.IntegerField(allow_null=True)
    end_line = serializers.IntegerField(allow_null=True)
    commit = serializers.CharField(allow_null=True)
    missing = serializers.BooleanField(help_text="The index does not hold this code any more")
    url = serializers.CharField(allow_null=True)


class EdgeSerializer(serializers.Serializer[Any]):
    """An edge between two nodes."""

    source = serializers.CharField(help_text="A node's id")  # type: ignore[assignment] # declared
    target = serializers.CharField(help_text="A node's id")
    type = serializers.CharField()
    origin = serializers.CharField(help_text="explicit, text, policy or semantic")
    weight = serializers.FloatField(allow_null=True, help_text="0.0-1.0")
    cosine = serializers.FloatField(allow_null=True, help_text="Of the embeddings, as measured")
    properties = serializers.DictField()
    author = serializers.CharField()
    created_at = serializers.DateTimeField()


class GraphMissingSerializer(serializers.Serializer[Any]):
    """A project of which the answer may lack something."""

    project = serializers.CharField()
    reason = serializers.CharField(
        help_text="never_indexed, failed, behind, paused, not_linked_yet or "
        "policies_not_checked_yet"
    )


class GraphReceiptSerializer(serializers.Serializer[Any]):
    """Which commits answered, and what the answer may lack."""

    complete = serializers.BooleanField()
    took_ms = serializers.FloatField()
    projects = AnsweringProjectSerializer(many=True)
    missing = GraphMissingSerializer(many=True)


class NodesAnswerSerializer(serializers.Serializer[Any]):
    """Nodes."""

    count = serializers.IntegerField()
    nodes = NodeSerializer(many=True)
    edges = EdgeSerializer(many=True)
    next_cursor = serializers.CharField(allow_null=True)
    receipt = GraphReceiptSerializer()


class FoundNodeSerializer(serializers.Serializer[Any]):
    """A node of a walk."""

    node = NodeSerializer()
    distance = serializers.IntegerField(help_text="Steps from the nearest root")


class TraverseAnswerSerializer(serializers.Serializer[Any]):
    """Nodes nearest first, and the edges among them."""

    roots = serializers.ListField(child=serializers.CharField())
    nodes = FoundNodeSerializer(many=True)
    edges = EdgeSerializer(many=True)
    truncated = serializers.BooleanField()
    receipt = GraphReceiptSerializer()
    hint = serializers.CharField(allow_null=True, help_text="Why nothing was reached")


class ViolationSerializer(serializers.Serializer[Any]):
    """Code that violates a policy."""

    code = NodeSerializer()
    policy = serializers.CharField(help_text="The policy's id")
    title = serializers.CharField()
    severity = serializers.CharField()
    message = serializers.CharField()
    edge = EdgeSerializer(help_text="`properties.matches` has lines and text")


class ViolationsAnswerSerializer(serializers.Serializer[Any]):
    """Violations in the order of paths."""

    project = serializers.CharField()
    count = serializers.IntegerField()
    violations = ViolationSerializer(many=True)
    over_limit = serializers.IntegerField(help_text="Files that took too long to be matched")
    next_cursor = serializers.CharField(allow_null=True)
    receipt = GraphReceiptSerializer()
    hint = serializers.CharField(allow_null=True, help_text="Why there is none")


class UnmigratedAnswerSerializer(serializers.Serializer[Any]):
    """Definitions without a `migrated_to` edge."""

    project = serializers.CharField()
    count = serializers.IntegerField()
    total = serializers.IntegerField(help_text="On all pages")
    code = NodeSerializer(many=True)
    next_cursor = serializers.CharField(allow_null=True)
    receipt = GraphReceiptSerializer()
    hint = serializers.CharField(allow_null=True, help_text="Why there is none")


class RelatedNodeSerializer(serializers.Serializer[Any]):
    """A node that resembles another."""

    node = NodeSerializer()
    score = serializers.FloatField(help_text="Comparable within the answer")
    similarity = serializers.FloatField(allow_null=True, help_text="Calibrated, 0.0-1.0")
    start_line = serializers.IntegerField(allow_null=True)
    end_line = serializers.IntegerField(allow_null=True)
    content = serializers.CharField()


class RelatedAnswerSerializer(serializers.Serializer[Any]):
    """Most related first."""

    id = serializers.CharField()
    target_type = serializers.CharField()
    count = serializers.IntegerField()
    related = RelatedNodeSerializer(many=True)
    receipt = GraphReceiptSerializer()
    hint = serializers.CharField(allow_null=True)


class ContextDocumentSerializer(serializers.Serializer[Any]):
    """A decision or a memory."""

    node = NodeSerializer()
    why = serializers.ListField(
        child=serializers.CharField(), help_text="Types of the edges, or related"
    )
    similarity = serializers.FloatField(allow_null=True)


class ApplicablePolicySerializer(serializers.Serializer[Any]):
    """A policy that holds for the file."""

    node = NodeSerializer()
    severity = serializers.CharField()
    message = serializers.CharField()
    is_violated = serializers.BooleanField()
    matches = serializers.ListField(child=serializers.DictField())


class NeighbourSerializer(serializers.Serializer[Any]):
    """A caller or a callee in another file or repository."""

    project = serializers.CharField()
    file = serializers.CharField()
    line = serializers.IntegerField()
    name = serializers.CharField()
    of = serializers.CharField(help_text="The definition of the file at the near end")
    confidence = serializers.CharField()


class ContextAnswerSerializer(serializers.Serializer[Any]):
    """What to know before a file is changed."""

    project = serializers.CharField()
    file = serializers.CharField()
    commit = serializers.CharField()
    decisions = ContextDocumentSerializer(many=True)
    policies = ApplicablePolicySerializer(many=True)
    memories = ContextDocumentSerializer(many=True)
    callers = NeighbourSerializer(many=True)
    callees = NeighbourSerializer(many=True)
    truncated = serializers.DictField(
        child=serializers.IntegerField(), help_text="What did not fit max_tokens, by kind"
    )
    receipt = GraphReceiptSerializer()


class RefreshedSerializer(serializers.Serializer[Any]):
    """What is due; it is being done."""

    documents = serializers.IntegerField(help_text="Without a vector or links of their version")
    projects = GraphMissingSerializer(many=True)
