"""`/api/v1/trace/…`: parse, call, answer."""

import re
from typing import Any, Final

from django.http import QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.common.errors import InvalidError
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.permissions import credential_in
from central.trace.answers import document
from central.trace.serializers import (
    CalleesRequestSerializer,
    CallersRequestSerializer,
    GraphRequestSerializer,
    ImpactRequestSerializer,
)
from central.trace.services.assessing import impact
from central.trace.services.graphing import graph
from central.trace.services.tracing import callees, callers
from central.trace.shapes import (
    CalleesSerializer,
    CallersSerializer,
    GraphSerializer,
    ImpactSerializer,
)

_CALLERS = CallersRequestSerializer()
_CALLEES = CalleesRequestSerializer()
_GRAPH = GraphRequestSerializer()
_IMPACT = ImpactRequestSerializer()
_LISTS: Final = frozenset({"caller_projects"})
_NUMBERS: Final = frozenset({"line", "depth", "limit"})
_INTEGER: Final = re.compile(r"-?[0-9]{1,9}")


class CallersView(APIView):
    """Who uses a definition, in every repository that the credential sees."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="trace_callers",
        parameters=[CallersRequestSerializer],
        responses=CallersSerializer,
        tags=["trace"],
    )
    def get(self, request: Request) -> Response:
        """References that lead to the symbol's definitions; lists by repeating a parameter."""
        query = _parameters(request.query_params)
        credential = _credential(request, query)
        answer = callers(credential=credential, request=_CALLERS.trace_request(query))
        return Response(document(answer))


class CalleesView(APIView):
    """What a definition uses."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="trace_callees",
        parameters=[CalleesRequestSerializer],
        responses=CalleesSerializer,
        tags=["trace"],
    )
    def get(self, request: Request) -> Response:
        """References inside of the symbol's definitions, with what they lead to."""
        query = _parameters(request.query_params)
        credential = _credential(request, query)
        answer = callees(credential=credential, request=_CALLEES.trace_request(query))
        return Response(document(answer))


class GraphView(APIView):
    """What is around a definition."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="trace_graph",
        parameters=[GraphRequestSerializer],
        responses=GraphSerializer,
        tags=["trace"],
    )
    def get(self, request: Request) -> Response:
        """Callers and callees, level by level."""
        query = _parameters(request.query_params)
        credential = _credential(request, query)
        answer = graph(credential=credential, request=_GRAPH.graph_request(query))
        return Response(document(answer))


class ImpactView(APIView):
    """Who is affected by a change."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="trace_impact",
        request=ImpactRequestSerializer,
        responses=ImpactSerializer,
        tags=["trace"],
    )
    def post(self, request: Request) -> Response:
        """Callers of changed symbols, or of what is defined at changed lines."""
        if not isinstance(request.data, dict):
            raise InvalidError("The body must be a JSON object.")
        credential = _credential(request, request.data)
        answer = impact(credential=credential, request=_IMPACT.impact_request(request.data))
        return Response(document(answer))


def _credential(request: Request, data: dict[str, Any]) -> Credential:
    """The credential, once `org_id` is its own: before anything is said about the rest."""
    credential = credential_in(request)
    org_id = data.get("org_id")
    if isinstance(org_id, str):
        credential.require_organization(org_id)
    return credential


def _parameters(query: QueryDict) -> dict[str, Any]:
    """Query parameters in the types that JSON would have given them."""
    last = query.dict()
    return {
        name: query.getlist(name) if name in _LISTS else _value(name, str(last[name]))
        for name in query
    }


def _value(name: str, text: str) -> str | int:
    """`text` as a number where one is meant; as it is where it is none, to be refused."""
    return int(text) if name in _NUMBERS and _INTEGER.fullmatch(text) else text
