"""The status of the index over HTTP."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from aeterna_code_search.contract.projects import AnsweringProject
from aeterna_code_search.contract.status import IndexStatus
from central.http.parameters import OrganizationSerializer, StrictCharField, to_json
from central.http.serializers import serializer_of
from central.repositories.status import index_status
from central.tenancy.authentication import credential_for
from central.tenancy.models import Scope


class StatusRequestSerializer(OrganizationSerializer):
    """`GET /api/v1/index/status`."""

    project = StrictCharField(
        required=False, allow_blank=True, help_text="One repository; without: all"
    )

    def project_in(self, query: Mapping[str, Any]) -> str:
        """The project that is asked for, "" for all; nothing stays, so one instance serves all."""
        return str(self.checked(query).get("project", ""))


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
        project = _REQUESTS.project_in(query)
        return Response(to_json(index_status(credential=credential, project=project)))
