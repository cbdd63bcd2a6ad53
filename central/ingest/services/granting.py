"""Direct mode: whether a client may write vectors to the store itself, and how it does."""

import structlog
from django.utils import timezone

from central.common.errors import ConflictError
from central.corpus.vectors import collection_of, vector_store
from central.ingest.models import IndexRun, RunState
from central.tenancy.models import Organization
from indexer.errors import DirectNotAvailableError, StoreError
from indexer.records.vectors import DirectUploadGrant
from indexer.store.base import DirectStore

ACCESS_SECONDS = 6 * 60 * 60  # of a token: as long as GitHub lets a job run

_log = structlog.get_logger(__name__)


def check_direct_upload(organization: Organization, *, has_store_secret: bool) -> None:
    """Raise ConflictError (`direct_not_available`) unless direct runs are possible; asks nobody."""
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
    """How the run's client writes to its collection, which is made if need be.

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
    """The client never heard of the run. Its row stays: it names the collection to be purged."""
    _log.warning("direct_access_failed", run=str(run.pk), error=str(error))
    IndexRun.objects.filter(pk=run.pk, state=RunState.OPEN).update(
        state=RunState.ABANDONED,
        error="The vector store gave no access for a direct upload.",
        ended_at=timezone.now(),
    )


def _refusal(detail: str) -> ConflictError:
    return ConflictError(detail, code="direct_not_available")
