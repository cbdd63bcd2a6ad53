"""The trace's answers as the schema describes them."""

from typing import Any

from rest_framework import serializers

from central.repositories.views import AnsweringProjectSerializer


class ShownDefinitionSerializer(serializers.Serializer[Any]):
    """A definition that the symbol means."""

    project = serializers.CharField()
    commit = serializers.CharField()
    file = serializers.CharField()
    line = serializers.IntegerField()
    end_line = serializers.IntegerField()
    name = serializers.CharField()
    qualified_name = serializers.CharField()
    kind = serializers.CharField()
    signature = serializers.CharField()
    language = serializers.CharField()
    package = serializers.CharField(allow_null=True, help_text="The distribution it is part of")
    version = serializers.CharField(allow_null=True)
    url = serializers.CharField(allow_null=True)


class EndpointSerializer(serializers.Serializer[Any]):
    """A definition at an end of a link; `<module>` of kind `module` is a file's top level."""

    project = serializers.CharField()
    file = serializers.CharField()
    name = serializers.CharField()
    qualified_name = serializers.CharField()
    kind = serializers.CharField()
    line = serializers.IntegerField()


class LinkSerializer(serializers.Serializer[Any]):
    """A use of a name, where it stands and what it means."""

    project = serializers.CharField()
    commit = serializers.CharField()
    file = serializers.CharField()
    line = serializers.IntegerField()
    column = serializers.IntegerField(help_text="0-based, in characters")
    kind = serializers.CharField(help_text="call, new, decorate, inherit, element or value")
    caller = EndpointSerializer()
    callee = EndpointSerializer()
    target = serializers.IntegerField(help_text="Index in definitions")
    depth = serializers.IntegerField()
    rule = serializers.CharField(
        help_text="same_file, import, receiver_type, same_package, dependency or name_only"
    )
    confidence = serializers.CharField(help_text="high, medium or low")
    evidence = serializers.CharField()
    candidates = serializers.IntegerField(help_text="To how many definitions it may lead")
    pinned_version = serializers.CharField(
        allow_null=True, help_text="Of the callee's package, in the caller's repository"
    )
    required_version = serializers.CharField(allow_null=True, help_text="The range as written")
    indexed_version = serializers.CharField(
        allow_null=True, help_text="Of the callee's package, as indexed"
    )
    lags = serializers.BooleanField(
        allow_null=True, help_text="Whether pinned_version is older than indexed_version"
    )
    url = serializers.CharField(allow_null=True)


class TraceMissingSerializer(serializers.Serializer[Any]):
    """A project of which the answer may lack something."""

    project = serializers.CharField()
    reason = serializers.CharField(
        help_text="never_indexed, failed, behind, paused or unknown_project"
    )


class UnresolvedSiteSerializer(serializers.Serializer[Any]):
    """A reference of which nothing is known but the name."""

    project = serializers.CharField()
    file = serializers.CharField()
    line = serializers.IntegerField()
    name = serializers.CharField()


class UnresolvedSerializer(serializers.Serializer[Any]):
    """How many references there are of which nothing is known but the name."""

    count = serializers.IntegerField(help_text="Exact to 10,000")
    more = serializers.BooleanField()
    sample = UnresolvedSiteSerializer(many=True)


class TraceReceiptSerializer(serializers.Serializer[Any]):
    """Which commits answered, and what the answer may lack."""

    complete = serializers.BooleanField(help_text="Whether nothing is missing or cut")
    took_ms = serializers.FloatField()
    projects = AnsweringProjectSerializer(many=True)
    missing = TraceMissingSerializer(many=True)
    unresolved = UnresolvedSerializer()
    cut = serializers.ListField(child=serializers.CharField(), help_text="Limits that were met")


class _PageSerializer(serializers.Serializer[Any]):
    symbol = serializers.CharField()
    definitions = ShownDefinitionSerializer(many=True)
    count = serializers.IntegerField(help_text="Of links on this page")
    next_cursor = serializers.CharField(allow_null=True)
    receipt = TraceReceiptSerializer()
    hint = serializers.CharField(allow_null=True, help_text="Why the answer is empty")


class CallersSerializer(_PageSerializer):
    """A page of callers."""

    callers = LinkSerializer(many=True)


class CalleesSerializer(_PageSerializer):
    """A page of callees."""

    callees = LinkSerializer(many=True)


class CallSerializer(serializers.Serializer[Any]):
    """A reference and a definition that it leads to."""

    caller = serializers.CharField(help_text="Qualified name; `<module>` is a file's top level")
    caller_project = serializers.CharField()
    path = serializers.CharField(help_text="Of the caller's file")
    line = serializers.IntegerField(help_text="Of the reference")
    callee = serializers.CharField(help_text="Qualified name")
    callee_project = serializers.CharField()
    callee_path = serializers.CharField()
    kind = serializers.CharField(help_text="call, new, decorate, inherit, element or value")
    rule = serializers.CharField(
        help_text="same_file, import, receiver_type, same_package or dependency"
    )
    confidence = serializers.CharField(help_text="high or medium")
    commit = serializers.CharField(help_text="Of the caller's project")


class CallingProjectSerializer(serializers.Serializer[Any]):
    """Of which commit a page has a project's calls."""

    project = serializers.CharField()
    commit = serializers.CharField()
    generation = serializers.IntegerField(help_text="Rises with each index of the project")
    begins = serializers.BooleanField(
        help_text="With its first call: what earlier pages had of it counts no more"
    )
    ends = serializers.BooleanField(help_text="With its last call")


class CallsSerializer(serializers.Serializer[Any]):
    """A page of the call edges of an organisation."""

    calls = CallSerializer(many=True)
    projects = CallingProjectSerializer(many=True)
    references = serializers.IntegerField(help_text="That this page is made of")
    next_cursor = serializers.CharField(allow_null=True)
    missing = TraceMissingSerializer(many=True, help_text="With the last page: of all projects")
    cut = serializers.ListField(child=serializers.CharField(), help_text="Limits that were met")


class GraphNodeSerializer(serializers.Serializer[Any]):
    """A definition, or a file's top level (`<module>`)."""

    id = serializers.CharField(help_text="code:<project>/<path>#<qualified name>")
    project = serializers.CharField()
    file = serializers.CharField()
    name = serializers.CharField()
    qualified_name = serializers.CharField()
    kind = serializers.CharField()
    line = serializers.IntegerField()
    distance = serializers.IntegerField(help_text="Steps from the nearest root")


class GraphEdgeSerializer(serializers.Serializer[Any]):
    """One node uses another; the surest place where it does."""

    caller = serializers.CharField(help_text="A node's id")
    callee = serializers.CharField(help_text="A node's id")
    project = serializers.CharField()
    file = serializers.CharField()
    line = serializers.IntegerField()
    kind = serializers.CharField()
    rule = serializers.CharField()
    confidence = serializers.CharField(help_text="high, medium or low")
    count = serializers.IntegerField(help_text="At how many places")


class GraphSerializer(serializers.Serializer[Any]):
    """What is around a symbol."""

    symbol = serializers.CharField()
    root = serializers.ListField(  # type: ignore[assignment]
        child=serializers.CharField(), help_text="Ids of its own nodes"
    )
    nodes = GraphNodeSerializer(many=True)
    edges = GraphEdgeSerializer(many=True)
    truncated = serializers.BooleanField()
    truncated_reason = serializers.CharField(allow_null=True)
    receipt = TraceReceiptSerializer()
    hint = serializers.CharField(allow_null=True, help_text="Why the answer is empty")


class AffectedProjectSerializer(serializers.Serializer[Any]):
    """A project's callers of one changed definition."""

    project = serializers.CharField()
    count = serializers.IntegerField(help_text="Of all its callers, shown or not")
    callers = LinkSerializer(many=True)


class ChangedSymbolSerializer(serializers.Serializer[Any]):
    """A changed definition and who calls it."""

    definition = ShownDefinitionSerializer()
    count = serializers.IntegerField()
    projects = AffectedProjectSerializer(many=True)


class ImpactSerializer(serializers.Serializer[Any]):
    """Callers per changed definition, grouped by project."""

    project = serializers.CharField()
    symbols = ChangedSymbolSerializer(many=True)
    count = serializers.IntegerField(help_text="Of all callers")
    unknown = serializers.ListField(
        child=serializers.CharField(), help_text="Symbols and files that are not indexed"
    )
    visibilities = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="The only ones that the credential may see repositories of; null: any",
    )
    receipt = TraceReceiptSerializer()
    hint = serializers.CharField(allow_null=True, help_text="Why the answer is empty")
