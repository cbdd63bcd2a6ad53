"""Uploads of runs that were not applied: their vectors are kept, their points and they go.

A batch a transaction, which may be done again: no request waits for it, and a crash loses nothing.
"""

import time
from collections.abc import Sequence
from itertools import chain

import structlog
from django.db import transaction
from django.db.models import QuerySet

from central.corpus.embeddings import save_embeddings
from central.corpus.vectors import collection_of, vector_store
from central.ingest.models import LIVE_STATES, Batch, IndexRun, RunState
from central.ingest.services.adopting import keep_points
from central.ingest.services.batches import decoded
from central.ingest.services.pieces import Piece, pieces_of
from central.ingest.services.restoring import slices
from central.ingest.services.trees import TREE_NUMBER
from central.ingest.services.uploading import delete_points
from central.repositories.models import Repository
from indexer.errors import BundleError, StoreError

_SECONDS = 2.0  # runs wait to be applied meanwhile

_log = structlog.get_logger(__name__)


def left_uploads(repository: Repository | None = None) -> QuerySet[Batch]:
    """Of runs that ended; those of retired repositories are left to the purge."""
    left = Batch.objects.exclude(run__state__in=LIVE_STATES)
    if repository:
        return left.filter(run__repository=repository)
    return left.filter(run__repository__retired_at=None)


def keep_uploads(*, seconds: float = _SECONDS, repository: Repository | None = None) -> bool:
    """Work off uploads, of `repository` alone if it is given, for about `seconds`.

    Returns whether some are left that need not wait.
    Not in a transaction. If the store is away, or anything else fails, that is noted, and they are
    left for later: neither a new run nor the rest of a night's work is to fail by it.
    """
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            if not _keep_one(repository):
                return False
    except StoreError as exc:
        _log.warning("uploads_left_for_later", error=str(exc))
        return False
    except Exception:  # noqa: BLE001 (see above)
        _log.exception("uploads_left_for_later")
        return False
    return True


@transaction.atomic
def _keep_one(repository: Repository | None) -> bool:
    batch = (
        left_uploads(repository)
        .select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("run__repository__organization")
        .order_by("run_id", "number")
        .first()
    )
    if batch is None:
        return False
    if batch.number != TREE_NUMBER:
        _keep(batch)
    batch.delete()
    return True


def _keep(batch: Batch) -> None:
    run = batch.run
    try:
        pieces = chain.from_iterable(pieces_of(run.pk, decoded(run, bytes(batch.body))))
        # One order for everybody: the embeddings stay locked until the batch is done.
        ordered = sorted(pieces, key=lambda piece: piece.digest)
    except BundleError as exc:  # of another version: nothing can be made of it any more
        _log.warning("upload_unreadable", run=str(run.pk), number=batch.number, error=str(exc))
        return
    for part in slices(ordered):
        if run.is_direct:
            keep_points(run, part, collection_of(run.repository, run.embedder), vector_store())
        else:
            _keep_vectors(run, part)
        if run.is_direct or run.state in (RunState.FAILED, RunState.STALE):
            delete_points(
                store=vector_store(),
                collection=collection_of(run.repository, run.embedder),
                ids=[piece.point for piece in part],
            )


def _keep_vectors(run: IndexRun, pieces: Sequence[Piece]) -> None:
    vectors = {piece.digest: piece.chunk.vector for piece in pieces}
    save_embeddings(
        repository_id=run.repository_id,
        embedder=run.embedder,
        vectors={digest: vector for digest, vector in vectors.items() if vector is not None},
    )
