"""Serializers of the requests for lists and content."""

from typing import Any

from rest_framework import serializers

from aeterna_code_search.contract.files import ContentRequest, ListRequest
from central.http.requests import request_serializer

ListRequestSerializer = request_serializer(ListRequest)


class ContentRequestSerializer(request_serializer(ContentRequest)):  # type: ignore[misc]
    __doc__ = ContentRequest.__doc__

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse lines in the wrong order."""
        if attrs.get("end_line", attrs["start_line"]) < attrs["start_line"]:
            raise serializers.ValidationError(
                {"end_line": ["The last line must not be before start_line."]}
            )
        return attrs
