"""`/api/v1/files…`: parse, call, answer."""

from rest_framework import serializers

from aeterna_code_search.contract.files import (
    BlameRequest,
    ContentRequest,
    HistoryRequest,
    ListRequest,
)
from aeterna_code_search.contract.projects import AnsweringProject, MissingProject
from central.files.answers import Blame, FileContent, FileList, History
from central.files.blame import read_blame
from central.files.content import read_lines
from central.files.history import read_history
from central.files.listing import list_files
from central.files.requests import (
    BlameRequestSerializer,
    ContentRequestSerializer,
    HistoryRequestSerializer,
    ListRequestSerializer,
)
from central.http.serializers import Made, serializer_of
from central.repositories.views import AnsweringProjectSerializer, LackingSerializer
from central.tenancy.credentials import Credential
from central.tenancy.views import CredentialView, answers


class FilesMissingSerializer(LackingSerializer):
    """A project whose index may not be of its newest commit."""

    reason = serializers.CharField(help_text="never_indexed, not_cloned, failed, behind or paused")


_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: FilesMissingSerializer,
}
FileListSerializer = serializer_of(FileList, _MADE)
FileContentSerializer = serializer_of(FileContent, _MADE)
HistorySerializer = serializer_of(History, _MADE)
BlameSerializer = serializer_of(Blame, _MADE)


class FilesView(CredentialView):
    """Directories and paths of a repository."""

    @answers("list_files", ListRequestSerializer, FileListSerializer, tag="files")
    def get(self, credential: Credential, request: ListRequest) -> FileList:
        """Entries of a directory, or the paths that match a glob, of the indexed commit."""
        return list_files(credential=credential, request=request)


class ContentView(CredentialView):
    """Content of a repository."""

    @answers("read_file", ContentRequestSerializer, FileContentSerializer, tag="files")
    def get(self, credential: Credential, request: ContentRequest) -> FileContent:
        """Lines of a file, of the indexed commit."""
        return read_lines(credential=credential, request=request)


class HistoryView(CredentialView):
    """Commits of a repository."""

    @answers("file_history", HistoryRequestSerializer, HistorySerializer, tag="files")
    def get(self, credential: Credential, request: HistoryRequest) -> History:
        """Commits that changed a file, a definition, a directory or anything, the newest first."""
        return read_history(credential=credential, request=request)


class BlameView(CredentialView):
    """Commits of lines."""

    @answers("blame_file", BlameRequestSerializer, BlameSerializer, tag="files")
    def get(self, credential: Credential, request: BlameRequest) -> Blame:
        """Which commit made each line of a file as it is in the indexed commit."""
        return read_blame(credential=credential, request=request)
