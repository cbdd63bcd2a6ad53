"""`/api/v1/graph/…`: documents, links, questions about nodes and code, and the graph as a file."""

import re
from http import HTTPStatus
from typing import Any, Final

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from aeterna_code_search.contract.knowledge import (
    ContextRequest,
    Link,
    NodeFilter,
    RelatedRequest,
    Traversal,
    UnmigratedRequest,
    ViolationsRequest,
)
from aeterna_code_search.contract.projects import AnsweringProject, MissingProject
from central.errors import InvalidError
from central.http.parameters import OrganizationSerializer, to_json
from central.http.serializers import Made, serializer_of
from central.knowledge import answers as records
from central.knowledge.resolution import node_id
from central.knowledge.serializers import (
    ContextSerializer,
    CreateNodeSerializer,
    LinkSerializer,
    ListNodesSerializer,
    ProjectQuestionSerializer,
    RelatedSerializer,
    TraverseSerializer,
    UnmigratedSerializer,
    UpdateNodeSerializer,
)
from central.knowledge.services.about import LinkedDocument
from central.knowledge.services.catch_up import Refreshed, refresh
from central.knowledge.services.code_questions import (
    UnmigratedAnswer,
    ViolationsAnswer,
    unmigrated,
    violations,
)
from central.knowledge.services.context import ContextAnswer, context
from central.knowledge.services.documents import create_document, delete_document, update_document
from central.knowledge.services.links import link, unlink
from central.knowledge.services.questions import (
    NodesAnswer,
    TraverseAnswer,
    edge_view,
    get_nodes,
    list_nodes,
    traverse,
)
from central.knowledge.services.related import RelatedAnswer, related
from central.knowledge.services.snapshot import snapshot
from central.repositories.views import AnsweringProjectSerializer, LackingSerializer
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.views import CredentialView, answers

_ETAG: Final = re.compile(r'"([0-9]{1,9})"')
_DUCKDB: Final = "application/vnd.duckdb"
_Data = dict[str, Any]

_CREATE: Final = CreateNodeSerializer()
_UPDATE: Final = UpdateNodeSerializer()
_ONE: Final = OrganizationSerializer()


class GraphMissingSerializer(LackingSerializer):
    """A project of which the answer may lack something."""

    reason = serializers.CharField(
        help_text="never_indexed, not_cloned, failed, behind, paused, not_linked_yet or "
        "policies_not_checked_yet"
    )


_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: GraphMissingSerializer,
}
serializer_of(records.NotRun, _MADE, name="PolicyNotRunReason")
serializer_of(records.PolicyView, _MADE, name="Policy")
serializer_of(records.NodeView, _MADE, name="Node")
EdgeSerializer = serializer_of(records.EdgeView, _MADE, name="Edge")
serializer_of(LinkedDocument, _MADE, name="ContextDocument")
NodesAnswerSerializer = serializer_of(NodesAnswer, _MADE)
TraverseAnswerSerializer = serializer_of(TraverseAnswer, _MADE)
ViolationsAnswerSerializer = serializer_of(ViolationsAnswer, _MADE)
UnmigratedAnswerSerializer = serializer_of(UnmigratedAnswer, _MADE)
RelatedAnswerSerializer = serializer_of(RelatedAnswer, _MADE)
ContextAnswerSerializer = serializer_of(ContextAnswer, _MADE)
RefreshedSerializer = serializer_of(Refreshed, _MADE)


class NodesView(CredentialView):
    """Documents of the graph."""

    @answers("graph_list_nodes", ListNodesSerializer, NodesAnswerSerializer)
    def get(self, credential: Credential, wanted: NodeFilter) -> NodesAnswer:
        """ADRs, policies and memories by id, a page at a time, without bodies."""
        return list_nodes(credential=credential, wanted=wanted)

    @answers("graph_create_node", CreateNodeSerializer, {201: NodesAnswerSerializer}, in_body=True)
    def post(self, credential: Credential, body: _Data) -> Response:
        """Store an ADR or another guide, a policy, or a memory. Needs the scope `index`."""
        node = create_document(credential=credential, new=_CREATE.new_document(body))
        return _answer_node(credential, node_id(node), HTTPStatus.CREATED)


class NodeView(CredentialView):
    """One node, by its percent-encoded id."""

    @answers("graph_get_node", OrganizationSerializer, NodesAnswerSerializer)
    def get(self, credential: Credential, query: _Data, node: str) -> Response:
        """The node with its body and edges; an ambiguous id is answered with all it may mean."""
        _ONE.checked(query)
        return _answer_node(credential, node)

    @answers("graph_update_node", UpdateNodeSerializer, NodesAnswerSerializer, in_body=True)
    def patch(self, credential: Credential, body: _Data, node: str) -> Response:
        """Change what is given. With `If-Match`, only if nothing was changed since it was read."""
        changed = update_document(
            credential=credential,
            text=node,
            changes=_UPDATE.checked(body),
            version=_expected_version(self.request),
        )
        return _answer_node(credential, node_id(changed))

    @answers("graph_delete_node", OrganizationSerializer, {204: None})
    def delete(self, credential: Credential, query: _Data, node: str) -> None:
        """Delete a document and its edges."""
        _ONE.checked(query)
        delete_document(credential=credential, text=node, version=_expected_version(self.request))


class LinksView(CredentialView):
    """Explicit edges."""

    @answers("graph_link", LinkSerializer, dict.fromkeys((200, 201), EdgeSerializer), in_body=True)
    def post(self, credential: Credential, asked: Link) -> Response:
        """Link two nodes; the same link again changes its weight and properties alone."""
        edge, is_new = link(credential=credential, asked=asked)
        status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
        return Response(to_json(edge_view(edge)), status=status)

    @answers("graph_unlink", LinkSerializer, {204: None}, in_body=True)
    def delete(self, credential: Credential, asked: Link) -> None:
        """Delete an explicit link."""
        unlink(credential=credential, asked=asked)


class TraverseView(CredentialView):
    @answers("graph_traverse", TraverseSerializer, TraverseAnswerSerializer)
    def get(self, credential: Credential, asked: Traversal) -> TraverseAnswer:
        """Nodes around a node, nearest first, with the edges that lead there."""
        return traverse(credential=credential, asked=asked)


class ViolationsView(CredentialView):
    @answers("graph_violations", ProjectQuestionSerializer, ViolationsAnswerSerializer)
    def get(self, credential: Credential, request: ViolationsRequest) -> ViolationsAnswer:
        """Code that violates a policy, with lines and the matched text."""
        return violations(credential=credential, request=request)


class UnmigratedView(CredentialView):
    @answers("graph_unmigrated", UnmigratedSerializer, UnmigratedAnswerSerializer)
    def get(self, credential: Credential, request: UnmigratedRequest) -> UnmigratedAnswer:
        """Definitions without a migrated_to edge on themselves, their file or a directory above."""
        return unmigrated(credential=credential, request=request)


class RelatedView(CredentialView):
    @answers("graph_related", RelatedSerializer, RelatedAnswerSerializer)
    def get(self, credential: Credential, request: RelatedRequest) -> RelatedAnswer:
        """Code that resembles a document, or documents that resemble code."""
        return related(credential=credential, request=request)


class ContextView(CredentialView):
    @answers("graph_context", ContextSerializer, ContextAnswerSerializer)
    def get(self, credential: Credential, request: ContextRequest) -> ContextAnswer:
        """Decisions, policies, memories, callers and callees of a file."""
        return context(credential=credential, request=request)


class SnapshotView(CredentialView):
    @answers("graph_snapshot", OrganizationSerializer, {(200, _DUCKDB): OpenApiTypes.BINARY})
    def get(self, credential: Credential, query: _Data) -> FileResponse:
        """A DuckDB file with `nodes` and `edges`, up to date."""
        _ONE.checked(query)
        path = snapshot(credential=credential)
        return FileResponse(
            path.open("rb"), as_attachment=True, filename=path.name, content_type=_DUCKDB
        )


class RefreshView(CredentialView):
    required_scope = Scope.INDEX

    @answers("graph_refresh", OrganizationSerializer, {202: RefreshedSerializer}, in_body=True)
    def post(self, credential: Credential, body: _Data) -> Refreshed:
        """Wake the worker that links, checks and embeds; answers at once with what is due."""
        _ONE.checked(body)
        return refresh(credential=credential)


def _answer_node(credential: Credential, text: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    answer = get_nodes(credential=credential, text=text)
    response = Response(to_json(answer), status=status)
    if answer.count == 1 and answer.nodes[0].version is not None:
        response["ETag"] = f'"{answer.nodes[0].version}"'
    return response


def _expected_version(request: Request) -> int | None:
    """What If-Match asks for; None without one."""
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    found = _ETAG.fullmatch(header.strip())
    if found is None:
        raise InvalidError('Send the ETag of the last answer as If-Match, such as "3".')
    return int(found[1])
