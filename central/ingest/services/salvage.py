"""Salvage of vectors from runs that were not applied."""

import time
from collections import Counter
from contextlib import suppress
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import QuerySet

from central.corpus.backends import vector_store
from central.corpus.embeddings import save_embeddings
from central.corpus.points import delete_points, slices
from central.ingest.models import Batch
from central.ingest.services.run_lifecycle import are_vectors_paid
from central.ingest.services.stored_batches import read_batch
from central.ingest.services.trees import TREE_NUMBER
from central.ingest.services.vectors import read_points, run_collection
from central.repositories.models import Repository
from central.repositories.states import LIVE_RUN_STATES
from indexer.errors import BundleError, StoreError, StoreFullError

_SECONDS = 2.0  # queued runs wait for it
_ROWS = 500  # chunks a statement, points a call

_log = structlog.get_logger(__name__)


def salvageable_uploads(repository: Repository | None = None) -> QuerySet[Batch]:
    """Return uploads of ended runs; the purge deletes those of retired repositories."""
    left = Batch.objects.exclude(run__state__in=LIVE_RUN_STATES)
    if repository:
        return left.filter(run__repository=repository)
    return left.filter(run__repository__retired_at=None)


def salvage_uploads(*, seconds: float = _SECONDS, repository: Repository | None = None) -> bool:
    """Salvage uploads, only of `repository` if it is given, for about `seconds`.

    Returns whether some are left that can be salvaged now. Not in a transaction. Errors are logged
    and the uploads stay for later, so that no new run and no nightly work fails.
    """
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            if not _salvage_next(repository):
                return False
    except StoreError as exc:
        _log.warning("salvage_deferred", error=str(exc))
        return False
    except Exception:  # noqa: BLE001 (see above)
        _log.exception("salvage_deferred")
        return False
    return True


@transaction.atomic
def _salvage_next(repository: Repository | None) -> bool:
    batch = (
        salvageable_uploads(repository)
        .select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("run__repository__organization", "run__branch")
        .defer("body", "rows")
        .order_by("run_id", "number")
        .first()
    )
    if batch is None:
        return False
    if batch.number != TREE_NUMBER:
        _salvage(batch)
    batch.delete()
    return True


def _salvage(batch: Batch) -> None:
    run = batch.run
    try:
        points = read_batch(run, batch.number).rows.files.points
        # One order in all processes: the embeddings stay locked until the batch is done.
        ordered = sorted(points, key=lambda chunk: chunk.digest)
    except BundleError as exc:  # of another version, and unreadable
        _log.warning("upload_unreadable", run=str(run.pk), number=batch.number, error=str(exc))
        return
    collection = run_collection(run)
    for part in slices(ordered, _ROWS):
        if run.is_direct:
            read_points(run, part, Counter())
        elif are_vectors_paid(run):
            save_embeddings(
                repository_id=run.repository_id,
                embedder=run.embedder,
                vectors={chunk.digest: chunk.vector for chunk in part if chunk.vector},
            )
        with suppress(StoreFullError):  # the reconcile deletes them; the uploads take space
            delete_points(vector_store(), collection, [UUID(bytes=chunk.point) for chunk in part])
