"""`/api/v1/files…`: parse, call, answer."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from aeterna_code_search.contract.projects import AnsweringProject, MissingProject
from central.files.answers import FileContent, FileList
from central.files.content import read_lines
from central.files.listing import list_files
from central.files.requests import ContentRequestSerializer, ListRequestSerializer
from central.http.parameters import INTEGER, query_object, to_json
from central.http.serializers import Made, serializer_of
from central.repositories.views import AnsweringProjectSerializer, LackingSerializer
from central.tenancy.authentication import credential_for
from central.tenancy.models import Scope


class FilesMissingSerializer(LackingSerializer):
    """A project whose index may not be of its newest commit."""

    reason = serializers.CharField(help_text="never_indexed, not_cloned, failed, behind or paused")


_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: FilesMissingSerializer,
}
FileListSerializer = serializer_of(FileList, _MADE)
FileContentSerializer = serializer_of(FileContent, _MADE)
_LISTS = ListRequestSerializer()
_CONTENTS = ContentRequestSerializer()
_NUMBERS: Final = dict.fromkeys(("limit", "start_line", "end_line"), INTEGER)


class FilesView(APIView):
    """Directories and paths of a repository."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="list_files",
        parameters=[ListRequestSerializer],
        responses=FileListSerializer,
        tags=["files"],
    )
    def get(self, request: Request) -> Response:
        """Entries of a directory, or the paths that match a glob, of the indexed commit."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        answer = list_files(credential=credential, request=_LISTS.list_request(query))
        return Response(to_json(answer))


class ContentView(APIView):
    """Content of a repository."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="read_file",
        parameters=[ContentRequestSerializer],
        responses=FileContentSerializer,
        tags=["files"],
    )
    def get(self, request: Request) -> Response:
        """Lines of a file, of the indexed commit."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        answer = read_lines(credential=credential, request=_CONTENTS.content_request(query))
        return Response(to_json(answer))


def _query(request: Request) -> dict[str, Any]:
    return query_object(request.query_params, lists=frozenset(), numbers=_NUMBERS)
