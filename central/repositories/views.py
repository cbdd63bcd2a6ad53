"""`GET /api/v1/index/status`."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.common.errors import InvalidError, NotFoundError
from central.repositories.models import Repository
from central.repositories.selectors import visible_repositories
from central.repositories.serializers import IndexStatus
from central.repositories.states import index_state, with_live_runs
from central.tenancy.models import Scope
from central.tenancy.permissions import credential_in


class StatusView(APIView):
    """What is indexed, as of which commit, and what is not."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="index_status",
        parameters=[
            OpenApiParameter("org_id", str, required=True),
            OpenApiParameter("project", str, description="One repository; without: all"),
        ],
        responses=IndexStatus,
    )
    def get(self, request: Request) -> Response:
        """Status of every visible repository, in one query."""
        credential = credential_in(request)
        org_id = request.query_params.get("org_id")
        if not org_id:
            raise InvalidError("org_id: give the organisation's slug.")
        organization = credential.require_organization(org_id)
        repositories = with_live_runs(visible_repositories(credential=credential))
        project = request.query_params.get("project")
        if project:
            if "\0" in project:
                raise InvalidError("project: must not hold a NUL character.")
            repositories = repositories.filter(name=project)
        found = list(repositories.order_by("name"))
        if project and not found:
            raise NotFoundError(
                "There is no such repository for this credential; check project.",
                code="repository_not_found",
            )
        answer = {
            "org_id": organization.slug,
            "last_updated": max((r.indexed_at for r in found if r.indexed_at), default=None),
            "total_chunks": sum(repository.chunks for repository in found),
            "projects": [project_status(repository) for repository in found],
        }
        return Response(IndexStatus(answer).data)


def project_status(repository: Repository) -> dict[str, object]:
    """The status of a repository that comes from `with_live_runs`."""
    return {
        "project": repository.name,
        "default_branch": repository.tracked_ref.removeprefix("refs/heads/"),
        "last_indexed_commit": repository.last_indexed_commit or None,
        "indexed_at": repository.indexed_at,
        "generation": repository.generation,
        "state": index_state(repository).value,
        "mode": repository.last_mode or None,
        "reason": repository.last_reason or None,
        "files": repository.files,
        "skipped": repository.skipped,
        "chunks": repository.chunks,
        "symbols": repository.symbols,
        "references": repository.references,
        "languages": repository.languages,
        "embedder": repository.embedder or None,
        "error": repository.trouble_detail or None,
        "run": repository.live_run,  # type: ignore[attr-defined]
    }
