"""The trace's requests as they come, and its answers as the schema describes them."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from central.common.fields import StrictCharField, StrictChoiceField, StrictIntegerField
from central.repositories.serializers import AnsweringProjectSerializer
from central.trace.forward import Confidence
from central.trace.query import MAX_DEPTH, MAX_LIMIT, TraceRequest

_CONFIDENCES = [one.name.lower() for one in reversed(Confidence)]


class SymbolChoiceSerializer(serializers.Serializer[Any]):
    """Which definitions are meant."""

    org_id = StrictCharField(max_length=100, help_text="The organisation's slug; org-<slug> too")
    symbol = StrictCharField(
        max_length=1_500,
        trim_whitespace=True,
        help_text="A name, a qualified name (Auth.verify) or module:name",
    )
    project = StrictCharField(max_length=200, required=False, help_text="Defined in this project")
    file = StrictCharField(max_length=1_024, required=False, help_text="Defined in this file")
    line = StrictIntegerField(
        min_value=1, max_value=10_000_000, required=False, help_text="Defined around this line"
    )
    min_confidence = StrictChoiceField(choices=_CONFIDENCES, default="medium")


class CalleesRequestSerializer(SymbolChoiceSerializer):
    """`GET /trace/callees`."""

    limit = StrictIntegerField(min_value=1, max_value=MAX_LIMIT, default=50)
    cursor = StrictCharField(max_length=500, required=False, help_text="next_cursor of a page")

    def trace_request(self, query: Mapping[str, Any]) -> TraceRequest:
        """The parameters as a record; nothing of them stays, so one serializer serves all."""
        data = dict(self.run_validation(dict(query)))
        del data["org_id"]
        data["min_confidence"] = Confidence[data["min_confidence"].upper()]
        data["caller_projects"] = tuple(dict.fromkeys(data.get("caller_projects", ())))
        return TraceRequest(**data)


class CallersRequestSerializer(CalleesRequestSerializer):
    """`GET /trace/callers`."""

    depth = StrictIntegerField(
        min_value=1, max_value=MAX_DEPTH, default=1, help_text="Levels of callers of callers"
    )
    caller_projects = serializers.ListField(
        child=StrictCharField(max_length=200),
        max_length=1_000,
        required=False,
        help_text="Callers in these projects only",
    )


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
    confidence = serializers.ChoiceField(choices=_CONFIDENCES)
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
