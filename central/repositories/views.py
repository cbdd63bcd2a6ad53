"""The status of the index over HTTP."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from aeterna_code_search.contract.projects import AnsweringProject
from aeterna_code_search.contract.status import IndexStatus, StatusRequest
from central.http.parameters import StrictCharField, to_json
from central.http.requests import request_serializer
from central.http.serializers import serializer_of
from central.repositories.status import index_status
from central.tenancy.authentication import credential_for
from central.tenancy.models import Scope


class StatusRequestSerializer(request_serializer(StatusRequest)):  # type: ignore[misc]
    __doc__ = StatusRequest.__doc__
    project = StrictCharField(
        required=False, allow_blank=True, help_text="One repository; without: all"
    )


AnsweringProjectSerializer = serializer_of(AnsweringProject, {})


class LackingSerializer(serializers.Serializer[Any]):
    """A project that the answer may lack something of; each kind of answer has its reasons."""

    project = serializers.CharField()
    since = serializers.DateTimeField(
        allow_null=True, help_text="Since when it waits for its first index; null: it is not that"
    )


IndexStatusSerializer = serializer_of(IndexStatus, {})
_REQUESTS = StatusRequestSerializer()


class StatusView(APIView):
    """What is indexed, as of which commit, and what is not."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="index_status",
        parameters=[StatusRequestSerializer],
        responses=IndexStatusSerializer,
    )
    def get(self, request: Request) -> Response:
        """Status of every visible repository, in one query."""
        query = request.query_params.dict()
        credential = credential_for(request, query.get("org_id") or None)
        asked = _REQUESTS.read(query)
        return Response(to_json(index_status(credential=credential, request=asked)))
