"""Staging: a batch's vectors and points are written before its run is applied, most as it arrives.

A staged batch has `file_vectors`; before, any of its points may be there. While its run is open,
its row is locked meanwhile: the deletion of unstaged batches waits, finds it staged, and leaves it
to services.salvage, which deletes its points.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import F

from central.corpus.backends import collection_of, vector_store
from central.corpus.embeddings import save_embeddings, stored_vectors, unpack_vector
from central.corpus.file_vectors import file_vectors
from central.corpus.rows import ChunkPoint
from central.db import execute, fetch_rows, id_array, sql_with
from central.ingest.models import Batch, IndexRun
from central.ingest.selectors import embedding_reuse_scope
from central.ingest.services.claims import RunClaim
from central.ingest.services.points import WithVector, slices, uploaded_files, write_points
from central.ingest.services.sessions import guard_writer
from central.ingest.services.stored_batches import StoredBatch, read_batch
from central.ingest.services.trees import TREE_NUMBER
from central.repositories.states import RunState
from indexer.errors import BundleError, StoreError

_ROWS = 1_024  # rows a statement
_REPORTED_POINTS = 256  # without a report, a transaction ends and a claim is lost
_IDLE_SECONDS = 300  # between two statements points are written: a minute at most, twice
_sql = sql_with(batch=Batch)
_LOCK_UNSTAGED: Final = _sql(
    "SELECT number FROM {batch} WHERE run_id = %s AND number = %s AND file_vectors IS NULL"
    " FOR NO KEY UPDATE"
)
_SAVE: Final = _sql(
    "UPDATE {batch} SET file_vectors = %b::bytea[] WHERE run_id = %s AND number = %s"
)
_READ: Final = _sql(
    "SELECT number, file_vectors FROM {batch} WHERE run_id = %s AND number = ANY(%s::bigint[])"
)

_log = structlog.get_logger(__name__)


class EmbeddingGoneError(Exception):
    """A chunk has no vector, and the known one was deleted."""

    def __str__(self) -> str:
        return "A vector that was known is gone; run the indexer again."


def stage_uploads() -> bool:
    """Stage the next batch of a run that is still open; false if none waits or the store is down.

    Errors are logged: the apply reports them, which stages what is left. A run whose
    batch cannot be staged keeps no other run from it.
    """
    failed: list[UUID] = []
    try:
        while True:
            with transaction.atomic():
                batch = _next_batch(failed)
                if batch is None:
                    return False
                guard_writer(run_id=batch.run_id, idle_seconds=_IDLE_SECONDS)
                if _is_staged(batch):
                    return True
            failed.append(batch.run_id)
    except StoreError as exc:
        _log.warning("staging_deferred", error=str(exc))
        return False


def _next_batch(failed: Sequence[UUID]) -> Batch | None:
    """Lock a batch that can be staged, of all runs in turn: a large one leaves room for others."""
    return (
        Batch.objects.filter(
            file_vectors=None,
            number__gt=TREE_NUMBER,
            run__state=RunState.OPEN,
            run__is_direct=False,  # its client writes the points
            run__repository__retired_at=None,
            run__generation=F("run__repository__generation"),  # others end as stale
        )
        .exclude(run__in=failed)
        .select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("run__repository__organization")
        .defer("body", "rows")
        .order_by("number", "run__opened_at")
        .first()
    )


def _is_staged(batch: Batch) -> bool:
    """Stage the batch, unless something is wrong with it. Raises StoreError for an outage."""
    try:
        with transaction.atomic():
            _stage(batch.run, read_batch(batch.run, batch.number), advance=_keep_alive)
    except (StoreError, EmbeddingGoneError, BundleError) as exc:
        if isinstance(exc, StoreError) and exc.retryable:
            raise
        _log.warning("staging_deferred", run=str(batch.run_id), error=str(exc))
        return False
    return True


def _keep_alive() -> None:
    """Show the database that this transaction is not idle."""
    execute("SELECT", [])


def stage_batches(*, claim: RunClaim, batches: Iterable[StoredBatch]) -> None:
    """Stage what is not staged. Raises ClaimLostError, EmbeddingGoneError, StoreError.

    Not in a transaction, which would hide from others that the lease is renewed meanwhile.
    """
    run = claim.row
    total = uploaded_files(run)
    done = 0

    def report() -> None:
        claim.report("vectors", done, total)

    for batch in batches:
        is_unstaged = fetch_rows(_LOCK_UNSTAGED, [run.pk, batch.number])  # waits for who stages it
        if is_unstaged or not _is_in_store(run, batch):
            _stage(run, batch, advance=report)
        done += len(batch.rows.paths)
        report()


def _is_in_store(run: IndexRun, batch: StoredBatch) -> bool:
    """Whether a staged batch is in this store: the service may have moved to another since."""
    last = next((own[-1] for own in reversed(batch.rows.files.packed_points) if own), None)
    if last is None:
        return True
    ids = [UUID(bytes=last.point)]
    return bool(vector_store().existing(collection_of(run.repository, run.embedder), ids))


def _stage(run: IndexRun, batch: StoredBatch, *, advance: Callable[[], None]) -> None:
    # One order in all processes: in a transaction, the embeddings stay locked until its end.
    items = sorted(batch.rows.files.points, key=lambda item: item.digest)
    save_file_vectors(run_id=run.pk, batch=batch, chunks=_written(run, items, advance))


def _written(
    run: IndexRun, items: Sequence[ChunkPoint], advance: Callable[[], None]
) -> Iterator[WithVector]:
    """Store the embeddings and points of chunks; yields each, of all of which some in memory."""
    collection = collection_of(run.repository, run.embedder)
    for part in slices(items, _ROWS):
        vectors = _vectors(run, part)
        save_embeddings(repository_id=run.repository_id, embedder=run.embedder, vectors=vectors)
        chunks = [(item, unpack_vector(vectors[item.digest])) for item in part]
        for some in slices(chunks, _REPORTED_POINTS):
            write_points(store=vector_store(), collection=collection, run_id=run.pk, items=some)
            advance()
        yield from chunks


def _vectors(run: IndexRun, items: Sequence[ChunkPoint]) -> dict[bytes, bytes]:
    """Return the vectors that came, and those that central knows, by digest."""
    vectors = {item.digest: item.vector for item in items if item.vector}
    asked = {item.digest for item in items} - vectors.keys()
    if asked:
        vectors |= stored_vectors(
            repositories=embedding_reuse_scope(run), embedder=run.embedder, digests=asked
        )
    if asked - vectors.keys():
        raise EmbeddingGoneError
    return vectors


def save_file_vectors(*, run_id: UUID, batch: StoredBatch, chunks: Iterable[WithVector]) -> None:
    """Store the vectors of a batch's files, which marks it as staged; `chunks` are all it has."""
    packed = file_vectors((item.path, vector) for item, vector in chunks)
    vectors = [packed.get(file.path) for file in batch.rows.files.files]
    execute(_SAVE, [vectors, run_id, batch.number])


def read_file_vectors(run_id: UUID, batches: Sequence[StoredBatch]) -> dict[str, bytes]:
    """Return the vectors of staged batches' files by path, without those that have none."""
    packed = dict(fetch_rows(_READ, [run_id, id_array(batch.number for batch in batches)]))
    return {
        file.path: vector
        for batch in batches
        for file, vector in zip(batch.rows.files.files, packed[batch.number], strict=True)
        if vector is not None
    }
