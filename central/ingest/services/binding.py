"""A keyless credential is bound to one commit of one repository; here it is held to that.

A credential without a binding passes everywhere.
"""

from uuid import UUID

from central.common.errors import ForbiddenError
from central.ingest.models import IndexRun
from central.ingest.selectors import require_open, visible_run
from central.tenancy.credentials import Credential


def require_bound_open(
    credential: Credential, *, project: str, repository_id: int | None, ref: str, commit_sha: str
) -> None:
    """Refuse what a client says of a run if GitHub said something else of its job.

    Raises ForbiddenError (`repository_mismatch`, `ref_mismatch`, `commit_mismatch`).
    """
    bound = credential.binding
    if bound is None:
        return
    if repository_id not in (None, bound.repository_id):
        raise ForbiddenError(
            "The credential is for another repository than repository_id; run the indexer in a "
            "checkout of the job's own repository.",
            code="repository_mismatch",
        )
    if project != bound.project:
        raise ForbiddenError(
            f"Without an API token a repository is indexed under its own name, '{bound.project}'; "
            "leave `project` out.",
            code="repository_mismatch",
        )
    _require_job(credential, ref=ref, commit_sha=commit_sha)


def writable_run(*, credential: Credential, run_id: UUID) -> IndexRun:
    """As `visible_run`, but ForbiddenError for a run of another job.

    That is `ref_mismatch` or `commit_mismatch`.
    """
    run = visible_run(credential=credential, run_id=run_id)
    _require_job(credential, ref=run.ref, commit_sha=run.commit_sha)
    return run


def open_run_of(*, credential: Credential, run_id: UUID) -> IndexRun:
    """As `writable_run`, but ConflictError unless the run still takes uploads."""
    run = writable_run(credential=credential, run_id=run_id)
    require_open(run)
    return run


def _require_job(credential: Credential, *, ref: str, commit_sha: str) -> None:
    bound = credential.binding
    if bound is None:
        return
    if ref != bound.ref:
        raise ForbiddenError(
            f"The credential is for {bound.ref}, not {ref}; index the ref that the job runs on.",
            code="ref_mismatch",
        )
    if commit_sha != bound.commit_sha:
        raise ForbiddenError(
            f"The credential is for commit {bound.commit_sha}, not {commit_sha}; index the commit "
            "that the job was started for.",
            code="commit_mismatch",
        )
