"""`/api/v1/map…`: parse, call, answer."""

from aeterna_code_search.contract.codemap import (
    ConsumersRequest,
    MapRequest,
    MostCalledRequest,
    UnusedRequest,
)
from aeterna_code_search.contract.projects import AnsweringProject, MissingProject, OwnerCount
from central.codemap.answers import CodeMap, Consumers, MostCalled, Unused
from central.codemap.consumers import consumers
from central.codemap.map import code_map
from central.codemap.most_called import most_called
from central.codemap.requests import (
    ConsumersRequestSerializer,
    MapRequestSerializer,
    MostCalledRequestSerializer,
    UnusedRequestSerializer,
)
from central.codemap.unused import unused
from central.http.serializers import Made, serializer_of
from central.repositories.views import AnsweringProjectSerializer
from central.tenancy.credentials import Credential
from central.tenancy.views import CredentialView, answers
from central.trace.views import OwnerCountSerializer, TraceMissingSerializer

_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: TraceMissingSerializer,
    OwnerCount: OwnerCountSerializer,
}
MapSerializer = serializer_of(CodeMap, _MADE)
ConsumersSerializer = serializer_of(Consumers, _MADE)
UnusedSerializer = serializer_of(Unused, _MADE)


class MapView(CredentialView):
    @answers("code_map", MapRequestSerializer, MapSerializer)
    def get(self, credential: Credential, request: MapRequest) -> CodeMap:
        """What the visible projects, or their packages, use of one another."""
        return code_map(credential=credential, request=request)


class ConsumersView(CredentialView):
    @answers("code_consumers", ConsumersRequestSerializer, ConsumersSerializer, in_body=True)
    def post(self, credential: Credential, request: ConsumersRequest) -> Consumers:
        """What uses a project, a package or definitions of it, and in which versions."""
        return consumers(credential=credential, request=request)


class MostCalledView(CredentialView):
    @answers("code_most_called", MostCalledRequestSerializer, serializer_of(MostCalled, _MADE))
    def get(self, credential: Credential, request: MostCalledRequest) -> MostCalled:
        """The definitions that most other projects use."""
        return most_called(credential=credential, request=request)


class UnusedView(CredentialView):
    @answers("code_unused", UnusedRequestSerializer, UnusedSerializer)
    def get(self, credential: Credential, request: UnusedRequest) -> Unused:
        """Public definitions without a caller in any visible repository, with doubts."""
        return unused(credential=credential, request=request)
