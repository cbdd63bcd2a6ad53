"""`GET /api/v1/index/status`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.repositories.serializers import IndexStatus, StatusRequestSerializer
from central.repositories.status import index_status
from central.tenancy.models import Scope
from central.tenancy.permissions import credential_for

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
