"""Access of a credential to a run, and the grant of direct uploads."""

from uuid import UUID

import structlog

from central.corpus.backends import collection_of, vector_store
from central.errors import ConflictError, ForbiddenError
from central.ingest.models import IndexRun
from central.ingest.run_waits import end_run
from central.ingest.selectors import require_open, visible_run
from central.repositories.states import RunState
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from indexer.errors import DirectNotAvailableError, StoreError
from indexer.records.vectors import DirectUploadGrant
from indexer.store.base import DirectStore


def check_oidc_binding(
    credential: Credential, *, project: str, repository_id: int | None, ref: str, commit_sha: str
) -> None:
    """Refuse claims of a client that differ from its job's ID token.

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
    """Return a visible run. Raises ForbiddenError for a run of another job.

    Its code is `ref_mismatch` or `commit_mismatch`.
    """
    run = visible_run(credential=credential, run_id=run_id)
    _require_job(credential, ref=run.ref, commit_sha=run.commit_sha)
    return run


def open_run_of(*, credential: Credential, run_id: UUID) -> IndexRun:
    """Return a writable run. Raises ConflictError unless it still takes uploads."""
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


ACCESS_SECONDS = 6 * 60 * 60  # of a token: as long as GitHub lets a job run

_log = structlog.get_logger(__name__)


def check_direct_upload(organization: Organization, *, has_store_secret: bool) -> None:
    """Raise ConflictError (`direct_not_available`) unless direct runs are possible; offline."""
    if not organization.direct_uploads:
        raise _refusal(
            "Direct uploads are off for this organisation. An administrator can allow them "
            "(direct_uploads); or send the vectors to this service: AETERNA_VECTORS=relay."
        )
    try:
        _direct_store().check_direct_upload(has_store_secret=has_store_secret)
    except DirectNotAvailableError as exc:
        raise _refusal(str(exc)) from exc


def grant_access(run: IndexRun, *, has_store_secret: bool) -> DirectUploadGrant:
    """Grant the run's client access to its collection, which is created if necessary.

    Asks the store: not in a transaction. If it fails, the run is abandoned. Raises ConflictError
    (`direct_not_available`), StoreError.
    """
    collection = collection_of(run.repository, run.embedder)
    try:
        access = _direct_store().grant(
            collection, seconds=ACCESS_SECONDS, has_store_secret=has_store_secret
        )
    except DirectNotAvailableError as exc:
        _abandon(run, exc)
        raise _refusal(str(exc)) from exc
    except StoreError as exc:
        _abandon(run, exc)
        raise
    _log.info(
        "direct_access_granted",
        run=str(run.pk),
        repository=str(run.repository),
        collection=access.collection,
        token_until=access.token and access.expires_at and access.expires_at.isoformat(),
    )
    return access


def _direct_store() -> DirectStore:
    store = vector_store()
    if not isinstance(store, DirectStore):
        message = (
            "Clients cannot write to this service's vector store themselves: it is not a Qdrant "
            "server (VECTOR_STORE_URL). Send the vectors to this service: AETERNA_VECTORS=relay."
        )
        raise DirectNotAvailableError(message)
    return store


def _abandon(run: IndexRun, error: Exception) -> None:
    """Abandon a run that its client does not know; its row names the collection to purge."""
    _log.warning("direct_access_failed", run=str(run.pk), error=str(error))
    end_run(
        run,
        of=IndexRun.objects.filter(state=RunState.OPEN),
        state=RunState.ABANDONED,
        error="The vector store gave no access for a direct upload.",
    )


def _refusal(detail: str) -> ConflictError:
    return ConflictError(detail, code="direct_not_available")
