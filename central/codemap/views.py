"""`/api/v1/map…`: parse, call, answer."""

from typing import Any

from central.codemap.answers import CodeMap, Unused
from central.codemap.map import code_map
from central.codemap.requests import MapRequestSerializer, UnusedRequestSerializer
from central.codemap.unused import unused
from central.http.serializers import Made, serializer_of
from central.repositories.views import AnsweringProjectSerializer
from central.repositories.visibility import AnsweringProject, MissingProject
from central.tenancy.credentials import Credential
from central.tenancy.views import CredentialView, answers
from central.trace.views import TraceMissingSerializer

_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: TraceMissingSerializer,
}
MapSerializer = serializer_of(CodeMap, _MADE)
UnusedSerializer = serializer_of(Unused, _MADE)

_MAP = MapRequestSerializer()
_UNUSED = UnusedRequestSerializer()
_Data = dict[str, Any]


class MapView(CredentialView):
    @answers("code_map", MapRequestSerializer, MapSerializer)
    def get(self, credential: Credential, query: _Data) -> CodeMap:
        """What the visible projects, or their packages, use of one another."""
        return code_map(credential=credential, **_MAP.checked(query))


class UnusedView(CredentialView):
    @answers("code_unused", UnusedRequestSerializer, UnusedSerializer)
    def get(self, credential: Credential, query: _Data) -> Unused:
        """Public definitions without a caller in any visible repository, with doubts."""
        return unused(credential=credential, request=_UNUSED.unused_request(query))
