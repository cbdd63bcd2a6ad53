"""The status of the index: one answer for every protocol."""

from collections.abc import Mapping
from typing import Any

from central.errors import NotFoundError
from central.repositories.models import Repository
from central.repositories.states import index_state, with_live_runs
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential


def index_status(*, credential: Credential, project: str = "") -> Mapping[str, Any]:
    """Return the status of all visible repositories or of `project`, as in `views.IndexStatus`.

    One query. Raises NotFoundError for a project that is not visible.
    """
    repositories = with_live_runs(visible_repositories(credential=credential))
    if project:
        repositories = repositories.filter(name=project)
    found = list(repositories.order_by("name"))
    if project and not found:
        raise NotFoundError(
            "There is no such repository for this credential; check project.",
            code="repository_not_found",
        )
    return {
        "org_id": credential.organization.slug,
        "last_updated": max((r.indexed_at for r in found if r.indexed_at), default=None),
        "total_chunks": sum(repository.chunks for repository in found),
        "projects": [_project_status(repository) for repository in found],
    }


def _project_status(repository: Repository) -> dict[str, object]:
    return {
        "project": repository.name,
        "default_branch": repository.tracked_ref.removeprefix("refs/heads/"),
        "last_indexed_commit": repository.last_indexed_commit or None,
        "indexed_at": repository.indexed_at,
        "generation": repository.generation,
        "state": index_state(repository).value,
        "mode": repository.last_mode or None,
        "reason": repository.last_reason or None,
        "reindex_requested_at": repository.reindex_requested_at,
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
