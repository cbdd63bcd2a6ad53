"""`/api/v1/search`: parse, call, answer."""

from collections.abc import Mapping
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.common.documents import DECIMAL, FLAG, INTEGER, body_object, document, query_object
from central.search.serializers import SearchAnswerSerializer, SearchRequestSerializer
from central.search.services import search
from central.tenancy.models import Scope
from central.tenancy.permissions import credential_for

_REQUESTS = SearchRequestSerializer()
_LISTS: Final = frozenset({"queries", "include_projects", "exclude_projects"})
_NUMBERS: Final = {
    "explain": FLAG,
    **dict.fromkeys(("limit", "expand", "max_content"), INTEGER),
    "min_similarity": DECIMAL,
}


class SearchView(APIView):
    """Search every repository of the organisation that the credential sees."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="search",
        request=SearchRequestSerializer,
        responses=SearchAnswerSerializer,
        tags=["search"],
    )
    def post(self, request: Request) -> Response:
        """Search with a JSON body."""
        return _respond(request, body_object(request))

    @extend_schema(
        operation_id="search_by_address",
        parameters=[SearchRequestSerializer],
        responses=SearchAnswerSerializer,
        tags=["search"],
    )
    def get(self, request: Request) -> Response:
        """Search with query parameters; lists are given by repeating a parameter."""
        return _respond(request, query_object(request.query_params, lists=_LISTS, numbers=_NUMBERS))


def _respond(request: Request, data: Mapping[str, Any]) -> Response:
    credential = credential_for(request, data.get("org_id"))
    answer = search(credential=credential, request=_REQUESTS.search_request(data))
    return Response(document(answer))
