"""Queries of runs."""

from uuid import UUID

from django.db.models import QuerySet

from central.errors import ConflictError, NotFoundError
from central.ingest.models import IndexRun
from central.repositories.models import Branch, Repository
from central.repositories.states import BUSY_RUN_STATES, RunState
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from central.tenancy.tokens import credential_of_token


def visible_run(*, credential: Credential, run_id: UUID) -> IndexRun:
    """Return a run of a visible repository. Raises NotFoundError."""
    run = (
        IndexRun.objects.select_related("repository__organization", "branch")
        .filter(pk=run_id, repository__in=visible_repositories(credential=credential))
        .first()
    )
    if run is None:
        raise _not_found()
    return run


def locked_run(run: IndexRun) -> IndexRun:
    """Read a run again and lock it. Raises NotFoundError if it went with its branch meanwhile."""
    locked = IndexRun.objects.select_for_update(no_key=True).filter(pk=run.pk).first()
    if locked is None:
        raise _not_found()
    return locked


def _not_found() -> NotFoundError:
    return NotFoundError(
        "There is no such run for this credential; open one with POST /api/v1/index/runs.",
        code="run_not_found",
    )


def recent_runs(*, repository: Repository, limit: int) -> list[IndexRun]:
    """Return a repository's newest runs, the newest first."""
    return list(IndexRun.objects.filter(repository=repository).order_by("-opened_at")[:limit])


def require_open(run: IndexRun) -> None:
    """Raise ConflictError unless the run still takes uploads."""
    if run.state != RunState.OPEN:
        raise ConflictError(
            f"The run is {run.state}; open another one.", code="run_not_open", state=run.state
        )


def busy_run(repository: Repository, branch: Branch | None) -> IndexRun | None:
    """Return the oldest run of a branch that is queued or being applied; None: the default one."""
    runs = repository.runs.filter(branch=branch, state__in=BUSY_RUN_STATES)
    return runs.order_by("queued_at").first()


def visible_reuse_scope(credential: Credential, run: IndexRun) -> QuerySet[Repository]:
    """Limit `embedding_reuse_scope` to the repositories that the caller may see."""
    visible = visible_repositories(credential=credential)
    return embedding_reuse_scope(run).filter(pk__in=visible.values("pk"))


def embedding_reuse_scope(run: IndexRun) -> QuerySet[Repository]:
    """Return the repositories whose embeddings the run may reuse, visible to its credential.

    Its own repository alone once the token is deleted. Needs `run.repository` and `run.api_token`.
    """
    if run.api_token is None:
        return Repository.objects.filter(pk=run.repository_id, retired_at=None)
    visible = visible_repositories(credential=credential_of_token(run.api_token))
    return visible.filter(organization_id=run.repository.organization_id)
