"""Staging: a batch's vectors and points are written before its run is applied, most as it arrives.

A staged batch has `file_vectors`; before, any of its points may be there. Its row is locked
meanwhile: whoever deletes unstaged batches waits, finds it staged, and leaves it to
services.salvage, which deletes its points.
"""

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

import structlog
from django.db import transaction

from central.corpus.backends import collection_of, vector_store
from central.corpus.embeddings import save_embeddings, stored_vectors
from central.corpus.file_vectors import file_vectors
from central.db import execute, fetch_rows, sql_with
from central.ingest.models import Batch, IndexRun
from central.ingest.selectors import embedding_reuse_scope
from central.ingest.services.batches import Records, StoredBatch, decode_batch
from central.ingest.services.claims import Claim
from central.ingest.services.points import (
    ChunkPoint,
    WithVector,
    chunk_points,
    slices,
    uploaded_files,
    write_points,
)
from central.ingest.services.trees import TREE_NUMBER
from central.repositories.states import RunState
from indexer.errors import StoreError
from indexer.records.files import FileRecord
from indexer.records.vectors import Vector

_ROWS = 256  # rows a statement
_sql = sql_with(batch=Batch)
_LOCK_UNSTAGED: Final = _sql(
    "SELECT number FROM {batch} WHERE run_id = %s AND number = %s AND file_vectors IS NULL"
    " FOR NO KEY UPDATE"
)
_SAVE: Final = _sql(
    "UPDATE {batch} SET file_vectors = %s::bytea[] WHERE run_id = %s AND number = %s"
)
_READ: Final = _sql("SELECT file_vectors FROM {batch} WHERE run_id = %s AND number = %s")

_log = structlog.get_logger(__name__)


class EmbeddingGoneError(Exception):
    """A chunk has no vector, and the known one was deleted."""

    def __str__(self) -> str:
        return "A vector that was known is gone; run the indexer again."


def stage_uploads() -> bool:
    """Stage the next batch of a run that is still open; false if none waits.

    Errors are logged: what they are is told by the apply, which stages what is left.
    """
    try:
        return _stage_next()
    except (StoreError, EmbeddingGoneError) as exc:
        _log.warning("staging_deferred", error=str(exc))
        return False


@transaction.atomic
def _stage_next() -> bool:
    batch = (
        Batch.objects.filter(
            file_vectors=None,
            number__gt=TREE_NUMBER,
            run__state=RunState.OPEN,
            run__is_direct=False,  # its client writes the points
            run__repository__retired_at=None,
        )
        .select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("run__repository__organization")
        .order_by("run__opened_at", "number")
        .first()
    )
    if batch is None:
        return False
    _stage(batch.run, batch.number, decode_batch(batch.run, bytes(batch.body)))
    return True


def stage_batches(*, claim: Claim, batches: Iterable[StoredBatch]) -> None:
    """Stage what is not staged. Raises ClaimLostError, EmbeddingGoneError, StoreError."""
    total = uploaded_files(claim.run)
    done = 0
    for batch in batches:
        _stage_once(claim.run, batch)
        done += len(batch.records)
        claim.report("vectors", done, total)


@transaction.atomic
def _stage_once(run: IndexRun, batch: StoredBatch) -> None:
    if fetch_rows(_LOCK_UNSTAGED, [run.pk, batch.number]):
        _stage(run, batch.number, batch.records)


def _stage(run: IndexRun, number: int, records: Records) -> None:
    items = list(chunk_points(run.pk, records))
    vectors = _vectors(run, items)
    # One order in all processes: the embeddings stay locked until the batch is done.
    for digests in slices(sorted(vectors), _ROWS):
        save_embeddings(
            repository_id=run.repository_id,
            embedder=run.embedder,
            vectors={digest: vectors[digest] for digest in digests},
        )
    chunks = [(item, vectors[item.digest]) for item in items]
    write_points(
        store=vector_store(),
        collection=collection_of(run.repository, run.embedder),
        run_id=run.pk,
        items=chunks,
    )
    save_file_vectors(run_id=run.pk, number=number, records=records, chunks=chunks)


def _vectors(run: IndexRun, items: Sequence[ChunkPoint]) -> dict[bytes, Vector]:
    """Return the vectors that came, and those that central knows, by digest."""
    vectors = {item.digest: item.chunk.vector for item in items if item.chunk.vector is not None}
    asked = {item.digest for item in items} - vectors.keys()
    for digests in slices(sorted(asked), _ROWS):
        vectors |= stored_vectors(
            repositories=embedding_reuse_scope(run), embedder=run.embedder, digests=digests
        )
    if asked - vectors.keys():
        raise EmbeddingGoneError
    return vectors


def save_file_vectors(
    *, run_id: UUID, number: int, records: Records, chunks: Iterable[WithVector]
) -> None:
    """Store the vectors of a batch's files, which marks it as staged; `chunks` are all it has."""
    packed = file_vectors((item.record.path, vector) for item, vector in chunks)
    paths = [record.path for record in records if isinstance(record, FileRecord)]
    execute(_SAVE, [[packed.get(path) for path in paths], run_id, number])


def read_file_vectors(run_id: UUID, batch: StoredBatch) -> dict[str, bytes]:
    """Return the vectors of a staged batch's files by path, without those that have none."""
    [(packed,)] = fetch_rows(_READ, [run_id, batch.number])
    found = zip(batch.files(), packed, strict=True)
    return {file.path: vector for file, vector in found if vector is not None}
