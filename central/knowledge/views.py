"""`/api/v1/graph/…`: documents and links, parsed, asked for and answered."""

import re
from http import HTTPStatus
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.errors import InvalidError
from central.http.parameters import FLAG, INTEGER, body_object, query_object, to_json
from central.knowledge.resolution import node_id
from central.knowledge.serializers import (
    CreateNodeSerializer,
    LinkSerializer,
    ListNodesSerializer,
    OrganizationSerializer,
    UpdateNodeSerializer,
)
from central.knowledge.services.documents import create_document, delete_document, update_document
from central.knowledge.services.links import link, unlink
from central.knowledge.services.questions import edge_view, get_nodes, list_nodes
from central.knowledge.shapes import (
    EdgeSerializer,
    NodesAnswerSerializer,
)
from central.tenancy.authentication import credential_for
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope

_NUMBERS: Final = {
    **dict.fromkeys(("limit", "depth", "max_tokens"), INTEGER),
    "archived": FLAG,
}
_LISTS: Final = frozenset({"types"})
_ETAG: Final = re.compile(r'"([0-9]{1,9})"')

_LIST = ListNodesSerializer()
_CREATE = CreateNodeSerializer()
_UPDATE = UpdateNodeSerializer()
_ONE = OrganizationSerializer()
_LINK = LinkSerializer()


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
        query = query_of(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(to_json(list_nodes(credential=credential, wanted=_LIST.node_filter(query))))

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
        query = query_of(request)
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
        query = query_of(request)
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
        return Response(to_json(edge_view(edge)), status=status)

    @extend_schema(
        operation_id="graph_unlink", request=LinkSerializer, responses={204: None}, tags=["graph"]
    )
    def delete(self, request: Request) -> Response:
        """Delete an explicit link."""
        body = body_object(request)
        credential = credential_for(request, body.get("org_id"))
        unlink(credential=credential, asked=_LINK.link(body))
        return Response(status=HTTPStatus.NO_CONTENT)


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


def query_of(request: Request) -> dict[str, Any]:
    """The parameters of a question, each of its type."""
    return query_object(request.query_params, lists=_LISTS, numbers=_NUMBERS)
