"""Vectors of a run: in the store as points, by digest, and of files; most as a batch arrives.

A staged batch has `file_vectors`; before, any of its points may be there. While its run is open,
its row is locked meanwhile: the deletion of unstaged batches waits, finds it staged, and leaves it
to services.salvage, which deletes its points. The client of a direct run writes the points itself:
the apply reads and checks them.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

import numpy as np
import structlog
from django.db import transaction
from django.db.models import F, Q

from central.corpus.backends import collection_of, vector_store
from central.corpus.embeddings import (
    file_vectors,
    pack_vector,
    save_embeddings,
    stored_vectors,
    unpack_vector,
)
from central.corpus.points import delete_points, slices, write_stored_points
from central.corpus.replace import Replacement
from central.corpus.replace_branch import BranchReplacement
from central.corpus.rows import ChunkPoint
from central.db import execute, fetch_rows, id_array, sql_with
from central.ingest.models import Batch, IndexRun
from central.ingest.selectors import embedding_reuse_scope
from central.ingest.services.claims import RunClaim, guard_writer
from central.ingest.services.stored_batches import StoredBatch, read_batch
from central.ingest.services.trees import TREE_NUMBER
from central.repositories.models import IndexState
from central.repositories.states import RunState
from indexer.bundle.vectors import check_normalised
from indexer.errors import BundleError, StoreError
from indexer.records.vectors import Vector
from indexer.store.base import Collection

_WithVector = tuple[ChunkPoint, Vector]

_ROWS = 1_024  # rows a statement
_READ_POINTS = 500  # points a call
_POINTS = 64  # points a call: the embedded store holds the interpreter while it takes them
_YIELD_SECONDS = 0.0005  # lets a waiting request have the interpreter at once
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


class PointsMissingError(Exception):
    """Points of a direct run are missing or wrong; the message is shown to the client."""


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
                if _could_stage(batch):
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
        )
        .filter(  # others end as stale
            Q(run__branch=None, run__generation=F("run__repository__generation"))
            | Q(run__generation=-1 - F("run__branch__generation"))
        )
        .exclude(run__in=failed)
        .select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("run__repository__organization", "run__branch")
        .defer("body", "rows")
        .order_by("number", "run__opened_at")
        .first()
    )


def _could_stage(batch: Batch) -> bool:
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


def prepare_vectors(*, claim: RunClaim, batches: Iterable[StoredBatch]) -> None:
    """Stage what is not staged; of a direct run, check the points of all batches.

    Raises ClaimLostError, EmbeddingGoneError, PointsMissingError after all were checked,
    StoreError. Not in a transaction, which would hide from others that the lease is renewed
    meanwhile.
    """
    run = claim.row
    total = sum(run.batch_set.filter(number__gt=TREE_NUMBER).values_list("files", flat=True))
    done = 0
    problems: Counter[str] = Counter()

    def report() -> None:
        claim.report("vectors", done, total)

    for batch in batches:
        if run.is_direct:
            save_file_vectors(run, batch, _checked(run, batch, problems, report))
        elif not _is_staged(run, batch):
            _stage(run, batch, advance=report)
        done += len(batch.rows.paths)
        report()
    if problems:
        raise PointsMissingError(_problem(problems, run_collection(run)))


def _is_staged(run: IndexRun, batch: StoredBatch) -> bool:
    """Whether a batch is staged; waits for who stages it."""
    return not fetch_rows(_LOCK_UNSTAGED, [run.pk, batch.number]) and _is_in_store(run, batch)


def _is_in_store(run: IndexRun, batch: StoredBatch) -> bool:
    """Whether a staged batch is in this store: the service may have moved to another since."""
    last = next((own[-1] for own in reversed(batch.rows.files.packed_points) if own), None)
    if last is None:
        return True
    ids = [UUID(bytes=last.point)]
    return bool(vector_store().existing(run_collection(run), ids))


def _stage(run: IndexRun, batch: StoredBatch, *, advance: Callable[[], None]) -> None:
    # One order in all processes: in a transaction, the embeddings stay locked until its end.
    chunks = sorted(batch.rows.files.points, key=lambda chunk: chunk.digest)
    save_file_vectors(run, batch, _written(run, chunks, advance))


def _written(
    run: IndexRun, chunks: Sequence[ChunkPoint], advance: Callable[[], None]
) -> Iterator[_WithVector]:
    """Store the embeddings and points of chunks; yields each, of all of which some in memory.

    Without `advance`, a transaction ends and a claim is lost.
    """
    for part in slices(chunks, _ROWS):
        vectors = _vectors(run, part)
        save_embeddings(repository_id=run.repository_id, embedder=run.embedder, vectors=vectors)
        found = [(chunk, unpack_vector(vectors[chunk.digest])) for chunk in part]
        write_points(run, found, advance)
        yield from found


def write_points(run: IndexRun, chunks: Iterable[_WithVector], advance: Callable[[], None]) -> None:
    """Upsert the points of chunks, in slices. Raises StoreError."""
    collection = run_collection(run)
    for part in slices(chunks, _POINTS):
        vector_store().upsert(collection, [chunk.at(run.pk, vector) for chunk, vector in part])
        time.sleep(_YIELD_SECONDS)
        advance()


def _vectors(run: IndexRun, chunks: Sequence[ChunkPoint]) -> dict[bytes, bytes]:
    """Return the vectors that came, and those that central knows, by digest."""
    vectors = {chunk.digest: chunk.vector for chunk in chunks if chunk.vector}
    asked = {chunk.digest for chunk in chunks} - vectors.keys()
    if asked:
        vectors |= stored_vectors(
            repositories=embedding_reuse_scope(run), embedder=run.embedder, digests=asked
        )
    if asked - vectors.keys():
        raise EmbeddingGoneError
    return vectors


def save_file_vectors(run: IndexRun, batch: StoredBatch, chunks: Iterable[_WithVector]) -> None:
    """Store the vectors of a batch's files, which marks it as staged; `chunks` are all it has."""
    packed = file_vectors((chunk.path, vector) for chunk, vector in chunks)
    vectors = [packed.get(file.path) for file in batch.rows.files.files]
    execute(_SAVE, [vectors, run.pk, batch.number])


def read_file_vectors(run_id: UUID, batches: Sequence[StoredBatch]) -> dict[str, bytes]:
    """Return the vectors of staged batches' files by path, without those that have none."""
    packed = dict(fetch_rows(_READ, [run_id, id_array(batch.number for batch in batches)]))
    return {
        file.path: vector
        for batch in batches
        for file, vector in zip(batch.rows.files.files, packed[batch.number], strict=True)
        if vector is not None
    }


def _checked(
    run: IndexRun, batch: StoredBatch, problems: Counter[str], advance: Callable[[], None]
) -> Iterator[_WithVector]:
    for part in slices(batch.rows.files.points, _READ_POINTS):
        yield from read_points(run, part, problems)
        advance()


def read_points(
    run: IndexRun, chunks: Sequence[ChunkPoint], problems: Counter[str]
) -> list[_WithVector]:
    """Read the points of chunks and store their valid vectors; the others are counted.

    `problems` are those that are `missing` and `wrong`. Raises StoreError.
    """
    collection = run_collection(run)
    found = vector_store().vectors(collection, [UUID(bytes=chunk.point) for chunk in chunks])
    valid = []
    for chunk in chunks:
        vector = found.get(UUID(bytes=chunk.point))
        if vector is None:
            problems["missing"] += 1
        elif vector.shape != (collection.embedder.dimensions,) or not check_normalised(
            vector[np.newaxis]
        ):
            problems["wrong"] += 1
        else:
            valid.append((chunk, vector))
    save_embeddings(
        repository_id=run.repository_id,
        embedder=run.embedder,
        vectors={chunk.digest: pack_vector(vector) for chunk, vector in valid},
    )
    return valid


def _problem(problems: Counter[str], collection: Collection) -> str:
    said = [
        f"{problems['missing']} are not in the vector store" if problems["missing"] else "",
        f"{problems['wrong']} have no vector of {collection.embedder.dimensions} numbers and unit "
        "length there"
        if problems["wrong"]
        else "",
    ]
    return (
        f"Of the points of this direct run {' and '.join(filter(None, said))}. Run the indexer "
        "again; what it embedded is known. If that does not help, let the vectors travel with the "
        "files: AETERNA_VECTORS=relay."
    )


def run_collection(run: IndexRun) -> Collection:
    """Return the collection that the points of a run are in."""
    return collection_of(run.repository, run.embedder, of_others=run.branch_id is not None)


def settle_points(
    run: IndexRun, replaced: Replacement | BranchReplacement, before: IndexState
) -> None:
    """Delete points of deleted chunks, and write those of chunks that moved to other branches.

    What fails here is deferred to the reconcile.
    """
    try:
        if isinstance(replaced, BranchReplacement):
            delete_points(vector_store(), run_collection(run), replaced.orphans)
            write_stored_points(run_collection(run), replaced.unstored)
            return
        if before.embedder and before.embedder != run.embedder:
            vector_store().drop(collection_of(run.repository, before.embedder))
        else:
            delete_points(vector_store(), run_collection(run), replaced.orphans)
        if replaced.branch_bits:
            former = before.embedder or run.embedder
            for embedder in {former, run.embedder}:
                others = collection_of(run.repository, embedder, of_others=True)
                delete_points(vector_store(), others, replaced.others.orphans)
            others = collection_of(run.repository, former, of_others=True)
            write_stored_points(others, replaced.others.unstored)
    except StoreError as exc:
        _log.warning("stale_points_deferred", run=str(run.pk), error=str(exc))
