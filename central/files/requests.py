"""Serializers of the requests for lists and content."""

from typing import Any

from rest_framework import serializers

from aeterna_code_search.contract.files import (
    BlameRequest,
    ContentRequest,
    HistoryRequest,
    ListRequest,
)
from central.http.requests import request_serializer
from central.query.dates import read_time

ListRequestSerializer = request_serializer(ListRequest)


class ContentRequestSerializer(request_serializer(ContentRequest)):  # type: ignore[misc]
    __doc__ = ContentRequest.__doc__

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse lines in the wrong order."""
        return _with_ordered_lines(attrs)


class BlameRequestSerializer(request_serializer(BlameRequest)):  # type: ignore[misc]
    __doc__ = BlameRequest.__doc__

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse lines in the wrong order."""
        return _with_ordered_lines(attrs)


def _with_ordered_lines(attrs: dict[str, Any]) -> dict[str, Any]:
    if attrs.get("end_line", attrs["start_line"]) < attrs["start_line"]:
        raise serializers.ValidationError(
            {"end_line": ["The last line must not be before start_line."]}
        )
    return attrs


class HistoryRequestSerializer(request_serializer(HistoryRequest)):  # type: ignore[misc]
    __doc__ = HistoryRequest.__doc__

    def validate_after(self, value: str) -> str:
        """Refuse what is no time."""
        return _checked_time(value)

    def validate_before(self, value: str) -> str:
        """Refuse what is no time."""
        return _checked_time(value)


def _checked_time(value: str) -> str:
    if value and read_time(value) is None:
        raise serializers.ValidationError(
            "Write a date, 2026-11-30, or a time, 2026-11-30T12:00:00Z."
        )
    return value
