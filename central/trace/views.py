"""`/api/v1/trace/…`: parse, call, answer."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.http.parameters import INTEGER, body_object, query_object, to_json
from central.http.serializers import Made, serializer_of
from central.repositories.views import AnsweringProjectSerializer
from central.repositories.visibility import AnsweringProject, MissingProject
from central.tenancy.authentication import credential_for
from central.tenancy.models import Scope
from central.trace.answers import Callees, Callers, Calls, Graph, Impact
from central.trace.call_edges import calls
from central.trace.graph import graph
from central.trace.impact import impact
from central.trace.requests import (
    CalleesRequestSerializer,
    CallersRequestSerializer,
    CallsRequestSerializer,
    GraphRequestSerializer,
    ImpactRequestSerializer,
)
from central.trace.service import callees, callers


class TraceMissingSerializer(serializers.Serializer[Any]):
    """A project of which the answer may lack something."""

    project = serializers.CharField()
    reason = serializers.CharField(
        help_text="never_indexed, failed, behind, paused or unknown_project"
    )


_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: TraceMissingSerializer,
}
CallersSerializer = serializer_of(Callers, _MADE, last="callers")
CalleesSerializer = serializer_of(Callees, _MADE, last="callees")
GraphSerializer = serializer_of(Graph, _MADE)

_CALLERS = CallersRequestSerializer()
_CALLEES = CalleesRequestSerializer()
_CALLS = CallsRequestSerializer()
_GRAPH = GraphRequestSerializer()
_IMPACT = ImpactRequestSerializer()
_LISTS: Final = frozenset({"caller_projects"})
_NUMBERS: Final = dict.fromkeys(("line", "depth", "limit"), INTEGER)


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
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        answer = callers(credential=credential, request=_CALLERS.trace_request(query))
        return Response(to_json(answer))


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
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        answer = callees(credential=credential, request=_CALLEES.trace_request(query))
        return Response(to_json(answer))


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
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        answer = graph(credential=credential, request=_GRAPH.graph_request(query))
        return Response(to_json(answer))


class CallsView(APIView):
    """Every call edge of the organisation."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="trace_calls",
        parameters=[CallsRequestSerializer],
        responses=serializer_of(Calls, _MADE),
        tags=["trace"],
    )
    def get(self, request: Request) -> Response:
        """The resolved call edges, page by page. For credentials that see the whole organisation.

        A project that is indexed while it is read begins anew.
        """
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(to_json(calls(credential=credential, **_CALLS.checked(query))))


class ImpactView(APIView):
    """Who is affected by a change."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="trace_impact",
        request=ImpactRequestSerializer,
        responses=serializer_of(Impact, _MADE),
        tags=["trace"],
    )
    def post(self, request: Request) -> Response:
        """Callers of changed symbols, or of what is defined at changed lines."""
        body = body_object(request)
        credential = credential_for(request, body.get("org_id"))
        answer = impact(credential=credential, request=_IMPACT.impact_request(body))
        return Response(to_json(answer))


def _query(request: Request) -> dict[str, Any]:
    return query_object(request.query_params, lists=_LISTS, numbers=_NUMBERS)
