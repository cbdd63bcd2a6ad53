"""`/api/v1/graph/…`: questions about nodes and code, and the graph as a file."""

from http import HTTPStatus
from typing import Final

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.http.parameters import body_object, to_json
from central.knowledge.serializers import (
    ContextSerializer,
    OrganizationSerializer,
    ProjectQuestionSerializer,
    RelatedSerializer,
    TraverseSerializer,
    UnmigratedSerializer,
)
from central.knowledge.services.code_questions import unmigrated, violations
from central.knowledge.services.context import context
from central.knowledge.services.questions import traverse
from central.knowledge.services.refresh import refresh, snapshot
from central.knowledge.services.related import related
from central.knowledge.shapes import (
    ContextAnswerSerializer,
    RefreshedSerializer,
    RelatedAnswerSerializer,
    TraverseAnswerSerializer,
    UnmigratedAnswerSerializer,
    ViolationsAnswerSerializer,
)
from central.knowledge.views import query_of
from central.tenancy.authentication import credential_for
from central.tenancy.models import Scope

_ONE: Final = OrganizationSerializer()
_TRAVERSE: Final = TraverseSerializer()
_VIOLATIONS: Final = ProjectQuestionSerializer()
_UNMIGRATED: Final = UnmigratedSerializer()
_RELATED: Final = RelatedSerializer()
_CONTEXT: Final = ContextSerializer()


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
        query = query_of(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(to_json(traverse(credential=credential, asked=_TRAVERSE.traversal(query))))


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
        query = query_of(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(to_json(violations(credential=credential, **_VIOLATIONS.checked(query))))


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
        query = query_of(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(to_json(unmigrated(credential=credential, **_UNMIGRATED.checked(query))))


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
        query = query_of(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(to_json(related(credential=credential, **_RELATED.question(query))))


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
        query = query_of(request)
        credential = credential_for(request, query.get("org_id"))
        return Response(to_json(context(credential=credential, **_CONTEXT.checked(query))))


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
        query = query_of(request)
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
        return Response(to_json(refresh(credential=credential)), status=HTTPStatus.ACCEPTED)
