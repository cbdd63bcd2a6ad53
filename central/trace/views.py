"""`/api/v1/trace/…`: parse, call, answer."""

from rest_framework import serializers

from aeterna_code_search.contract.projects import AnsweringProject, MissingProject, OwnerCount
from aeterna_code_search.contract.trace import (
    Callees,
    Callers,
    Calls,
    CallsRequest,
    FilePosition,
    Graph,
    GraphRequest,
    Impact,
    ImpactRequest,
    Meaning,
    References,
    ReferencesRequest,
    TraceRequest,
)
from central.http.serializers import Made, serializer_of
from central.repositories.views import AnsweringProjectSerializer, LackingSerializer
from central.tenancy.credentials import Credential
from central.tenancy.views import CredentialView, answers
from central.trace.call_edges import calls
from central.trace.graph import graph
from central.trace.impact import impact
from central.trace.position import definition_at
from central.trace.requests import (
    CalleesRequestSerializer,
    CallersRequestSerializer,
    CallsRequestSerializer,
    GraphRequestSerializer,
    ImpactRequestSerializer,
    PositionSerializer,
    ReferencesRequestSerializer,
)
from central.trace.service import callees, callers, references


class TraceMissingSerializer(LackingSerializer):
    """A project of which the answer may lack something."""

    reason = serializers.CharField(
        help_text="never_indexed, not_cloned, failed, behind, paused or unknown_project"
    )


_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: TraceMissingSerializer,
}
OwnerCountSerializer = serializer_of(OwnerCount, _MADE)
CallersSerializer = serializer_of(Callers, _MADE, last="callers")
CalleesSerializer = serializer_of(Callees, _MADE, last="callees")
GraphSerializer = serializer_of(Graph, _MADE)
MeaningSerializer = serializer_of(Meaning, _MADE)
ReferencesSerializer = serializer_of(References, _MADE)


class CallersView(CredentialView):
    @answers("trace_callers", CallersRequestSerializer, CallersSerializer)
    def get(self, credential: Credential, request: TraceRequest) -> Callers:
        """References that lead to the symbol's definitions; lists by repeating a parameter."""
        return callers(credential=credential, request=request)


class CalleesView(CredentialView):
    @answers("trace_callees", CalleesRequestSerializer, CalleesSerializer)
    def get(self, credential: Credential, request: TraceRequest) -> Callees:
        """References inside of the symbol's definitions, with what they lead to."""
        return callees(credential=credential, request=request)


class DefinitionView(CredentialView):
    @answers("trace_definition", PositionSerializer, MeaningSerializer)
    def get(self, credential: Credential, position: FilePosition) -> Meaning:
        """The definitions that the name at a position of an indexed file means."""
        return definition_at(credential=credential, position=position)


class ReferencesView(CredentialView):
    @answers("trace_references", ReferencesRequestSerializer, ReferencesSerializer)
    def get(self, credential: Credential, request: ReferencesRequest) -> References:
        """References, in every visible repository, to what the name at a position means."""
        return references(credential=credential, request=request)


class GraphView(CredentialView):
    @answers("trace_graph", GraphRequestSerializer, GraphSerializer)
    def get(self, credential: Credential, request: GraphRequest) -> Graph:
        """Callers and callees, level by level."""
        return graph(credential=credential, request=request)


class CallsView(CredentialView):
    @answers("trace_calls", CallsRequestSerializer, serializer_of(Calls, _MADE))
    def get(self, credential: Credential, request: CallsRequest) -> Calls:
        """The resolved call edges, page by page. For credentials that see the whole organisation.

        A project that is indexed while it is read starts over.
        """
        return calls(credential=credential, cursor=request.cursor)


class ImpactView(CredentialView):
    @answers("trace_impact", ImpactRequestSerializer, serializer_of(Impact, _MADE), in_body=True)
    def post(self, credential: Credential, request: ImpactRequest) -> Impact:
        """Callers of changed symbols, or of what is defined at changed lines."""
        return impact(credential=credential, request=request)
