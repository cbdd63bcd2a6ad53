"""The status of the index over HTTP."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.http.parameters import StrictCharField
from central.repositories.states import LIVE_RUN_STATES, IndexState
from central.repositories.status import index_status
from central.tenancy.authentication import credential_for
from central.tenancy.models import Scope


class StatusRequestSerializer(serializers.Serializer[Any]):
    """`GET /api/v1/index/status`."""

    org_id = StrictCharField(max_length=100, help_text="The organisation's slug; org-<slug> too")
    project = StrictCharField(
        required=False, allow_blank=True, help_text="One repository; without: all"
    )

    def project_in(self, query: Mapping[str, Any]) -> str:
        """The project that is asked for, "" for all; nothing stays, so one instance serves all."""
        return str(self.run_validation(dict(query)).get("project", ""))


class LiveRun(serializers.Serializer[Any]):
    """A run that has not ended."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=[state.value for state in LIVE_RUN_STATES])
    progress = serializers.DictField()


class ProjectStatus(serializers.Serializer[Any]):
    """One repository's index."""

    project = serializers.CharField()
    default_branch = serializers.CharField()
    last_indexed_commit = serializers.CharField(allow_null=True)
    indexed_at = serializers.DateTimeField(allow_null=True)
    generation = serializers.IntegerField()
    state = serializers.ChoiceField(choices=[state.value for state in IndexState])
    mode = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    reindex_requested_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Since when the next run is to process every file; null: it is not",
    )
    files = serializers.IntegerField()
    skipped = serializers.IntegerField()
    chunks = serializers.IntegerField()
    symbols = serializers.IntegerField()
    references = serializers.IntegerField()
    languages = serializers.DictField(child=serializers.IntegerField())
    embedder = serializers.CharField(allow_null=True)
    error = serializers.CharField(allow_null=True)
    run = LiveRun(allow_null=True)


class IndexStatus(serializers.Serializer[Any]):
    """The organisation's index."""

    org_id = serializers.CharField()
    last_updated = serializers.DateTimeField(allow_null=True)
    total_chunks = serializers.IntegerField()
    projects = ProjectStatus(many=True)


class AnsweringProjectSerializer(serializers.Serializer[Any]):
    """A project that an answer is of."""

    project = serializers.CharField()
    commit = serializers.CharField()
    indexed_at = serializers.DateTimeField(allow_null=True)


_REQUESTS = StatusRequestSerializer()


class StatusView(APIView):
    """What is indexed, as of which commit, and what is not."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="index_status",
        parameters=[StatusRequestSerializer],
        responses=IndexStatus,
    )
    def get(self, request: Request) -> Response:
        """Status of every visible repository, in one query."""
        query = request.query_params.dict()
        credential = credential_for(request, query.get("org_id") or None)
        project = _REQUESTS.project_in(query)
        return Response(IndexStatus(index_status(credential=credential, project=project)).data)
