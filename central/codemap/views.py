"""`/api/v1/map…`: parse, call, answer."""

from typing import Any

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

_MAP = MapRequestSerializer()
_CONSUMERS = ConsumersRequestSerializer()
_MOST_CALLED = MostCalledRequestSerializer()
_UNUSED = UnusedRequestSerializer()
_Data = dict[str, Any]


class MapView(CredentialView):
    @answers("code_map", MapRequestSerializer, MapSerializer)
    def get(self, credential: Credential, query: _Data) -> CodeMap:
        """What the visible projects, or their packages, use of one another."""
        return code_map(credential=credential, **_MAP.checked(query))


class ConsumersView(CredentialView):
    @answers("code_consumers", ConsumersRequestSerializer, ConsumersSerializer, in_body=True)
    def post(self, credential: Credential, body: _Data) -> Consumers:
        """What uses a project, a package or definitions of it, and in which versions."""
        return consumers(credential=credential, request=_CONSUMERS.consumers_request(body))


class MostCalledView(CredentialView):
    @answers("code_most_called", MostCalledRequestSerializer, serializer_of(MostCalled, _MADE))
    def get(self, credential: Credential, query: _Data) -> MostCalled:
        """The definitions that most other projects use."""
        return most_called(credential=credential, **_MOST_CALLED.checked(query))


class UnusedView(CredentialView):
    @answers("code_unused", UnusedRequestSerializer, UnusedSerializer)
    def get(self, credential: Credential, query: _Data) -> Unused:
        """Public definitions without a caller in any visible repository, with doubts."""
        return unused(credential=credential, request=_UNUSED.unused_request(query))
