"""Requests of traces: fields, limits and the selected symbol."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from rest_framework import serializers

from central.http.parameters import (
    OrganizationSerializer,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)
from central.trace.resolve.import_sites import IMPORT
from central.trace.resolve.resolve import Confidence
from indexer.limits import IMPACT_CHANGES
from indexer.records.references import ReferenceKind

TRACE_SITES: Final = 200
TRACE_DEPTH: Final = 5
TRACE_NODES: Final = 500


@dataclass(frozen=True, slots=True)
class SymbolSelector:
    """Selection of a symbol's definitions; "" and 0 restrict nothing."""

    symbol: str
    project: str = ""
    file: str = ""
    line: int = 0


class Encoding(StrEnum):
    """The unit in which a column counts: bytes, halves of UTF-16, or characters."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"


@dataclass(frozen=True, slots=True)
class FilePosition:
    """A character of an indexed file: `line` is 1-based, `column` 0-based in `encoding`."""

    project: str
    file: str
    line: int
    column: int
    encoding: Encoding = Encoding.UTF_32


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A validated `GET /trace/callers` or `/trace/callees`, without the organisation."""

    selector: SymbolSelector
    depth: int = 1
    min_confidence: Confidence = Confidence.MEDIUM
    caller_projects: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    limit: int = 50
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class ReferencesRequest:
    """A validated `GET /trace/references`, without the organisation."""

    position: FilePosition
    min_confidence: Confidence = Confidence.MEDIUM
    caller_projects: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    limit: int = 50
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """A validated `GET /trace/graph`."""

    selector: SymbolSelector
    depth: int = 2
    min_confidence: Confidence = Confidence.MEDIUM
    limit: int = 200


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A changed file with first and last lines of each change; none means the whole file."""

    path: str
    lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ImpactRequest:
    """A validated `POST /trace/impact`."""

    project: str
    symbols: tuple[str, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    depth: int = 1
    min_confidence: Confidence = Confidence.MEDIUM
    limit: int = 50


KINDS = [*(reference_kind.value for reference_kind in ReferenceKind), IMPORT]
CONFIDENCES = [confidence.name.lower() for confidence in reversed(Confidence)]


class CallsRequestSerializer(OrganizationSerializer):
    """`GET /trace/calls`."""

    cursor = StrictCharField(max_length=10_000, required=False, help_text="next_cursor of a page")


class ConfidentSerializer(OrganizationSerializer):
    """The minimum confidence of a link."""

    min_confidence = StrictChoiceField(choices=CONFIDENCES, default="medium")

    def checked(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields with the confidence as an enumeration member."""
        found = super().checked(data)
        found["min_confidence"] = Confidence[found["min_confidence"].upper()]
        return found


def _caller_projects() -> serializers.ListField:
    return serializers.ListField(
        child=StrictCharField(max_length=200),
        max_length=1_000,
        required=False,
        help_text="Callers in these projects only",
    )


class SelectorSerializer(ConfidentSerializer):
    """Which definitions are meant."""

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

    def checked(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields with the selector as a record."""
        found = super().checked(data)
        names = [field.name for field in fields(SymbolSelector)]
        selector = SymbolSelector(**{name: found.pop(name) for name in names if name in found})
        return {"selector": selector, **found}


class PagesSerializer(ConfidentSerializer):
    """Which links are listed, and how many on a page."""

    kind = serializers.ListField(
        child=StrictChoiceField(choices=KINDS),
        max_length=len(KINDS),
        required=False,
        help_text="Uses of these kinds only, at every level; imports only if asked for",
    )
    limit = StrictIntegerField(min_value=1, max_value=TRACE_SITES, default=50)
    cursor = StrictCharField(max_length=10_000, required=False, help_text="next_cursor of a page")

    def checked(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields; lists are tuples without duplicates."""
        found = super().checked(data)
        found["kind"] = tuple(sorted(set(found.get("kind", ()))))
        found["caller_projects"] = tuple(dict.fromkeys(found.get("caller_projects", ())))
        return found


class CalleesRequestSerializer(SelectorSerializer, PagesSerializer):
    """`GET /trace/callees`."""

    def trace_request(self, query: Mapping[str, Any]) -> TraceRequest:
        return TraceRequest(**self.checked(query))


class CallersRequestSerializer(CalleesRequestSerializer):
    """`GET /trace/callers`."""

    depth = StrictIntegerField(
        min_value=1, max_value=TRACE_DEPTH, default=1, help_text="Levels of callers of callers"
    )
    caller_projects = _caller_projects()


class PositionSerializer(OrganizationSerializer):
    """A position in an indexed file."""

    project = StrictCharField(max_length=200, help_text="The repository of the file")
    file = StrictCharField(max_length=1_024, help_text="Its path from the repository's root")
    line = StrictIntegerField(min_value=1, max_value=10_000_000, help_text="1-based")
    column = StrictIntegerField(
        min_value=0, max_value=10_000_000, help_text="0-based, of any character of a name"
    )
    encoding = StrictChoiceField(
        choices=list(Encoding),
        default=Encoding.UTF_32,
        help_text="The unit of column: bytes, UTF-16, or characters",
    )

    def checked(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields with the position as a record."""
        found = super().checked(data)
        found["encoding"] = Encoding(found["encoding"])
        names = [field.name for field in fields(FilePosition)]
        return {"position": FilePosition(*(found.pop(name) for name in names)), **found}


class ReferencesRequestSerializer(PositionSerializer, PagesSerializer):
    """`GET /trace/references`."""

    caller_projects = _caller_projects()

    def references_request(self, query: Mapping[str, Any]) -> ReferencesRequest:
        return ReferencesRequest(**self.checked(query))


class GraphRequestSerializer(SelectorSerializer):
    """`GET /trace/graph`."""

    depth = StrictIntegerField(
        min_value=1, max_value=TRACE_DEPTH, default=2, help_text="Levels up and levels down"
    )
    limit = StrictIntegerField(
        min_value=1, max_value=TRACE_NODES, default=200, help_text="Nodes at most"
    )

    def graph_request(self, query: Mapping[str, Any]) -> GraphRequest:
        return GraphRequest(**self.checked(query))


class LinesField(serializers.ListField):
    """[first, last], 1-based and inclusive."""

    def __init__(self, **options: Any) -> None:
        line = StrictIntegerField(min_value=1, max_value=10_000_000)
        super().__init__(child=line, min_length=2, max_length=2, **options)

    def to_internal_value(self, data: Any) -> list[int]:
        """Refuse lines in the wrong order."""
        first, last = super().to_internal_value(data)
        if first > last:
            raise serializers.ValidationError(["The first line must not be behind the last."])
        return [first, last]


class ChangedFileSerializer(StrictSerializer):
    """A changed file; without lines, all of it."""

    path = StrictCharField(max_length=1_024)
    lines = serializers.ListField(child=LinesField(), max_length=IMPACT_CHANGES, required=False)


class DefinitionsSerializer(ConfidentSerializer):
    """Definitions of a project: by `symbols`, or by `files` and their lines."""

    project = StrictCharField(max_length=200)
    symbols = serializers.ListField(
        child=StrictCharField(max_length=1_500, trim_whitespace=True),
        min_length=1,
        max_length=IMPACT_CHANGES,
        required=False,
    )
    files: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=ChangedFileSerializer(), min_length=1, max_length=IMPACT_CHANGES, required=False
    )

    def checked(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields with the definitions as records."""
        found = super().checked(data)
        found["symbols"] = tuple(dict.fromkeys(found.get("symbols", ())))
        found["files"] = tuple(
            ChangedFile(file["path"], tuple((first, last) for first, last in file.get("lines", ())))
            for file in found.get("files", ())
        )
        return found


class ImpactRequestSerializer(DefinitionsSerializer):
    """`POST /trace/impact`: exactly one of `symbols` and `files`."""

    depth = StrictIntegerField(min_value=1, max_value=TRACE_DEPTH, default=1)
    limit = StrictIntegerField(
        min_value=1, max_value=TRACE_SITES, default=50, help_text="Callers shown per symbol"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse both and neither of `symbols` and `files`."""
        if ("symbols" in attrs) == ("files" in attrs):
            sentence = "Give either symbols or files, and only one of them."
            raise serializers.ValidationError({"symbols": [sentence]})
        return attrs

    def impact_request(self, body: Mapping[str, Any]) -> ImpactRequest:
        return ImpactRequest(**self.checked(body))
