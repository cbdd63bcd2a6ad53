"""Reading runs."""

from uuid import UUID

from django.db.models import QuerySet

from central.errors import ConflictError, NotFoundError
from central.ingest.models import BUSY_STATES, IndexRun, RunState
from central.repositories.models import Repository
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from central.tenancy.tokens import credential_of_token


def visible_run(*, credential: Credential, run_id: UUID) -> IndexRun:
    """A run of a repository that the credential may see, else NotFoundError."""
    run = (
        IndexRun.objects.select_related("repository__organization")
        .filter(pk=run_id, repository__in=visible_repositories(credential=credential))
        .first()
    )
    if run is None:
        raise NotFoundError(
            "There is no such run for this credential; open one with POST /api/v1/index/runs.",
            code="run_not_found",
        )
    return run


def recent_runs(*, repository: Repository, limit: int) -> list[IndexRun]:
    """A repository's newest runs, the newest first."""
    return list(IndexRun.objects.filter(repository=repository).order_by("-opened_at")[:limit])


def require_open(run: IndexRun) -> None:
    """Raise ConflictError unless the run still takes uploads."""
    if run.state != RunState.OPEN:
        raise ConflictError(
            f"The run is {run.state}; open another one.", code="run_not_open", state=run.state
        )


def busy_run(repository: Repository) -> IndexRun | None:
    """The run of the repository that is queued or being applied, oldest first."""
    return repository.runs.filter(state__in=BUSY_STATES).order_by("queued_at").first()


def lending_repositories_for(credential: Credential, run: IndexRun) -> QuerySet[Repository]:
    """As `lending_repositories`, but only those that the caller may see as well."""
    visible = visible_repositories(credential=credential)
    return lending_repositories(run).filter(pk__in=visible.values("pk"))


def lending_repositories(run: IndexRun) -> QuerySet[Repository]:
    """Whose embeddings the run may reuse: those that its credential may see.

    Its own repository alone once the token is deleted. Needs `run.repository` and `run.api_token`.
    """
    if run.api_token is None:
        return Repository.objects.filter(pk=run.repository_id, retired_at=None)
    visible = visible_repositories(credential=credential_of_token(run.api_token))
    return visible.filter(organization_id=run.repository.organization_id)
