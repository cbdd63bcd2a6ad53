"""Serializers of the requests about an organisation as one."""

from typing import Any

from aeterna_code_search.contract.codemap import (
    ConsumersRequest,
    MapRequest,
    MostCalledRequest,
    UnusedRequest,
)
from central.http.requests import request_serializer
from central.trace.requests import FilesSerializer

MapRequestSerializer = request_serializer(MapRequest)
MostCalledRequestSerializer = request_serializer(MostCalledRequest)


class ConsumersRequestSerializer(FilesSerializer, request_serializer(ConsumersRequest)):  # type: ignore[misc]
    __doc__ = ConsumersRequest.__doc__


class UnusedRequestSerializer(request_serializer(UnusedRequest)):  # type: ignore[misc]
    def record_of(self, given: dict[str, Any]) -> UnusedRequest:
        """Return the request; `none` is no doubt."""
        if "doubts" in given:
            given["doubts"] = [doubt for doubt in given["doubts"] if doubt != "none"]
        request: UnusedRequest = super().record_of(given)
        return request
