"""Serializers of the requests of traces."""

from dataclasses import replace
from typing import Any

from rest_framework import serializers

from aeterna_code_search.contract.trace import (
    LAST_LINE,
    OF_CALLERS,
    CallsRequest,
    ChangedFile,
    FilePosition,
    GraphRequest,
    ImpactRequest,
    ReferencesRequest,
    TraceRequest,
)
from central.http.parameters import StrictCharField, StrictIntegerField, StrictSerializer
from central.http.requests import RequestSerializer, request_serializer
from indexer.limits import IMPACT_CHANGES

CallersRequestSerializer = request_serializer(TraceRequest, name="CallersRequest")
CalleesRequestSerializer = request_serializer(
    TraceRequest, without=OF_CALLERS, name="CalleesRequest"
)
CallsRequestSerializer = request_serializer(CallsRequest)
GraphRequestSerializer = request_serializer(GraphRequest)
PositionSerializer = request_serializer(FilePosition, name="Position")
ReferencesRequestSerializer = request_serializer(ReferencesRequest)


class LinesField(serializers.ListField):
    """[first, last], 1-based and inclusive."""

    def __init__(self, **options: Any) -> None:
        line = StrictIntegerField(min_value=1, max_value=LAST_LINE)
        super().__init__(child=line, min_length=2, max_length=2, **options)

    def to_internal_value(self, data: Any) -> list[int]:
        """Refuse lines in the wrong order."""
        lines: list[int] = super().to_internal_value(data)  # their number is checked after
        if lines != sorted(lines):
            raise serializers.ValidationError(["The first line must not be behind the last."])
        return lines


class ChangedFileSerializer(StrictSerializer):
    """A changed file; without lines, all of it."""

    path = StrictCharField(max_length=1_024)
    lines = serializers.ListField(child=LinesField(), max_length=IMPACT_CHANGES, required=False)


class FilesSerializer(RequestSerializer):
    """Definitions of a project: by `symbols`, or by `files` and their lines."""

    files: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=ChangedFileSerializer(), min_length=1, max_length=IMPACT_CHANGES, required=False
    )

    def record_of(self, given: dict[str, Any]) -> Any:
        """Return the record with its files."""
        files = (
            ChangedFile(file["path"], tuple((first, last) for first, last in file.get("lines", ())))
            for file in given.get("files", ())
        )
        return replace(super().record_of(given), files=tuple(files))


class ImpactRequestSerializer(FilesSerializer, request_serializer(ImpactRequest)):  # type: ignore[misc]
    __doc__ = ImpactRequest.__doc__

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse both and neither of `symbols` and `files`."""
        if ("symbols" in attrs) == ("files" in attrs):
            sentence = "Give either symbols or files, and only one of them."
            raise serializers.ValidationError({"symbols": [sentence]})
        return attrs
