"""`/api/v1/graph/…`: parse, call, answer."""

import re
from http import HTTPStatus
from typing import Any, Final

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.common.documents import INTEGER, body_object, document, query_object
from central.common.errors import InvalidError
from central.knowledge.resolution import node_id
from central.knowledge.serializers import (
    ContextSerializer,
    CreateNodeSerializer,
    LinkSerializer,
    ListNodesSerializer,
    OrganizationSerializer,
    ProjectQuestionSerializer,
    RelatedSerializer,
    TraverseSerializer,
    UnmigratedSerializer,
    UpdateNodeSerializer,
)
from central.knowledge.services.code_questions import unmigrated, violations
from central.knowledge.services.context import context
from central.knowledge.services.documents import create_document, delete_document, update_document
from central.knowledge.services.links import link, unlink
from central.knowledge.services.questions import edge_view, get_nodes, list_nodes, traverse
from central.knowledge.services.refresh import refresh, snapshot
from central.knowledge.services.related import related
from central.knowledge.shapes import (
    ContextAnswerSerializer,
    EdgeSerializer,
    NodesAnswerSerializer,
    RefreshedSerializer,
    RelatedAnswerSerializer,
    TraverseAnswerSerializer,
    UnmigratedAnswerSerializer,
    ViolationsAnswerSerializer,
)
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope
from central.tenancy.permissions import credential_for

_NUMBERS: Final = dict.fromkeys(("limit", "depth", "max_tokens"), INTEGER)
_LISTS: Final = frozenset({"types"})
_ETAG: Final = re.compile(r'"([0-9]{1,9})"')

_LIST = ListNodesSerializer()
_CREATE = CreateNodeSerializer()
_UPDATE = UpdateNodeSerializer()
_ONE = OrganizationSerializer()
_LINK = LinkSerializer()
_TRAVERSE = TraverseSerializer()
_VIOLATIONS = ProjectQuestionSerializer()
_UNMIGRATED = UnmigratedSerializer()
_RELATED = RelatedSerializer()
_CONTEXT = ContextSerializer()


class NodesView(APIView):
    """Documents of the graph."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_list_nodes",
        parameters=[ListNodesSerializer],
        responses=NodesAnswerSerializer,
        tags=["graph"],
    )
    def get(self, request: Request) -> Response:
        """ADRs, policies and memories by id, a page at a time, without bodies."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(
            document(list_nodes(credential=credential, wanted=_LIST.node_filter(query)))
        )

    @extend_schema(
        operation_id="graph_create_node",
        request=CreateNodeSerializer,
        responses={201: NodesAnswerSerializer},
        tags=["graph"],
    )
    def post(self, request: Request) -> Response:
        """Store an ADR or another guide, a policy, or a memory. Needs the scope `index`."""
        body = body_object(request)
        credential = credential_for(request, body.get("org_id"))
        node = create_document(credential=credential, new=_CREATE.new_document(body))
        return _answer_node(credential, node_id(node), HTTPStatus.CREATED)


class NodeView(APIView):
    """One node, by its percent-encoded id."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_get_node",
        parameters=[OrganizationSerializer],
        responses=NodesAnswerSerializer,
        tags=["graph"],
    )
    def get(self, request: Request, node: str) -> Response:
        """The node with its body and edges; an ambiguous id is answered with all it may mean."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        _ONE.checked(query)
        return _answer_node(credential, node)

    @extend_schema(
        operation_id="graph_update_node",
        request=UpdateNodeSerializer,
        responses=NodesAnswerSerializer,
        tags=["graph"],
    )
    def patch(self, request: Request, node: str) -> Response:
        """Change what is given. With `If-Match`, only if nothing was changed since it was read."""
        body = body_object(request)
        credential = credential_for(request, body.get("org_id"))
        changed = update_document(
            credential=credential,
            text=node,
            changes=_UPDATE.checked(body),
            version=_expected_version(request),
        )
        return _answer_node(credential, node_id(changed))

    @extend_schema(
        operation_id="graph_delete_node",
        parameters=[OrganizationSerializer],
        responses={204: None},
        tags=["graph"],
    )
    def delete(self, request: Request, node: str) -> Response:
        """Delete a document and its edges."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        _ONE.checked(query)
        delete_document(credential=credential, text=node, version=_expected_version(request))
        return Response(status=HTTPStatus.NO_CONTENT)


class LinksView(APIView):
    """Explicit edges."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_link",
        request=LinkSerializer,
        responses={200: EdgeSerializer, 201: EdgeSerializer},
        tags=["graph"],
    )
    def post(self, request: Request) -> Response:
        """Link two nodes; the same link again changes its weight and properties alone."""
        body = body_object(request)
        credential = credential_for(request, body.get("org_id"))
        edge, is_new = link(credential=credential, asked=_LINK.link(body))
        status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
        return Response(document(edge_view(edge)), status=status)

    @extend_schema(
        operation_id="graph_unlink", request=LinkSerializer, responses={204: None}, tags=["graph"]
    )
    def delete(self, request: Request) -> Response:
        """Delete an explicit link."""
        body = body_object(request)
        credential = credential_for(request, body.get("org_id"))
        unlink(credential=credential, asked=_LINK.link(body))
        return Response(status=HTTPStatus.NO_CONTENT)


class TraverseView(APIView):
    """Walking the graph."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_traverse",
        parameters=[TraverseSerializer],
        responses=TraverseAnswerSerializer,
        tags=["graph"],
    )
    def get(self, request: Request) -> Response:
        """Nodes around a node, nearest first, with the edges that lead there."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(document(traverse(credential=credential, asked=_TRAVERSE.traversal(query))))


class ViolationsView(APIView):
    """Violations of policies."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_violations",
        parameters=[ProjectQuestionSerializer],
        responses=ViolationsAnswerSerializer,
        tags=["graph"],
    )
    def get(self, request: Request) -> Response:
        """Code that violates a policy, with lines and the matched text."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(document(violations(credential=credential, **_VIOLATIONS.checked(query))))


class UnmigratedView(APIView):
    """Code that is still to be migrated."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_unmigrated",
        parameters=[UnmigratedSerializer],
        responses=UnmigratedAnswerSerializer,
        tags=["graph"],
    )
    def get(self, request: Request) -> Response:
        """Definitions without a migrated_to edge on themselves, their file or a directory above."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(document(unmigrated(credential=credential, **_UNMIGRATED.checked(query))))


class RelatedView(APIView):
    """Search across documents and code."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_related",
        parameters=[RelatedSerializer],
        responses=RelatedAnswerSerializer,
        tags=["graph"],
    )
    def get(self, request: Request) -> Response:
        """Code that resembles a document, or documents that resemble code."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(document(related(credential=credential, **_RELATED.question(query))))


class ContextView(APIView):
    """What to know before a file is changed."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_context",
        parameters=[ContextSerializer],
        responses=ContextAnswerSerializer,
        tags=["graph"],
    )
    def get(self, request: Request) -> Response:
        """Decisions, policies, memories, callers and callees of a file."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(document(context(credential=credential, **_CONTEXT.checked(query))))


class SnapshotView(APIView):
    """The graph as a file."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="graph_snapshot",
        parameters=[OrganizationSerializer],
        responses={(200, "application/vnd.duckdb"): OpenApiTypes.BINARY},
        tags=["graph"],
    )
    def get(self, request: Request) -> FileResponse:
        """A DuckDB file with `nodes` and `edges`, up to date."""
        query = _query(request)
        credential = credential_for(request, query.get("org_id"))
        _ONE.checked(query)
        path = snapshot(credential=credential)
        return FileResponse(
            path.open("rb"),
            as_attachment=True,
            filename=path.name,
            content_type="application/vnd.duckdb",
        )


class RefreshView(APIView):
    """Having the graph brought up to date."""

    required_scope = Scope.INDEX

    @extend_schema(
        operation_id="graph_refresh",
        request=OrganizationSerializer,
        responses={202: RefreshedSerializer},
        tags=["graph"],
    )
    def post(self, request: Request) -> Response:
        """Wake the worker that links, checks and embeds; answers at once with what is due."""
        body = body_object(request)
        credential = credential_for(request, body.get("org_id"))
        _ONE.checked(body)
        return Response(document(refresh(credential=credential)), status=HTTPStatus.ACCEPTED)


def _answer_node(credential: Credential, text: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    answer = get_nodes(credential=credential, text=text)
    response = Response(document(answer), status=status)
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


def _query(request: Request) -> dict[str, Any]:
    return query_object(request.query_params, lists=_LISTS, numbers=_NUMBERS)
