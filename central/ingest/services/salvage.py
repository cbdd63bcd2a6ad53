"""Salvage of vectors from runs that were not applied, and checks of directly written points."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
import structlog
from django.db import transaction
from django.db.models import QuerySet

from central.corpus.backends import collection_of, vector_store
from central.corpus.embeddings import pack_vector, save_embeddings
from central.corpus.rows import ChunkPoint
from central.ingest.models import Batch, IndexRun
from central.ingest.services.claims import RunClaim
from central.ingest.services.points import WithVector, delete_points, slices, uploaded_files
from central.ingest.services.run_lifecycle import are_vectors_paid
from central.ingest.services.staging import save_file_vectors
from central.ingest.services.stored_batches import StoredBatch, read_batch
from central.ingest.services.trees import TREE_NUMBER
from central.repositories.models import Repository
from central.repositories.states import LIVE_RUN_STATES
from indexer.bundle.vectors import check_normalised
from indexer.errors import BundleError, StoreError, StoreFullError
from indexer.records.vectors import Vector
from indexer.store.base import Collection, VectorStore


class PointsMissingError(Exception):
    """Points of a direct run are missing or wrong; the message is shown to the client."""


@dataclass(slots=True)
class VerifiedPoints:
    """Vectors of points by digest, and the numbers of missing points and of wrong vectors."""

    vectors: dict[bytes, Vector] = field(default_factory=dict)
    missing: int = 0
    wrong: int = 0


def verify_direct_points(
    *, claim: RunClaim, batches: Iterable[StoredBatch], store: VectorStore
) -> None:
    """Store the vector of every chunk of the run as an Embedding, and those of its files.

    Raises ClaimLostError, PointsMissingError after all were checked, StoreError.
    """
    run = claim.row
    collection = collection_of(run.repository, run.embedder)
    total = uploaded_files(run)
    done = missing = wrong = 0

    def verified(batch: StoredBatch) -> Iterator[WithVector]:
        nonlocal missing, wrong
        for items in slices(batch.rows.files.points, _ROWS):
            read = verify_points(run, items, collection, store)
            missing += read.missing
            wrong += read.wrong
            known = read.vectors
            yield from ((item, known[item.digest]) for item in items if item.digest in known)
            claim.report("vectors", done, total)

    for batch in batches:
        save_file_vectors(run_id=run.pk, batch=batch, chunks=verified(batch))
        done += len(batch.rows.paths)
    if missing or wrong:
        raise PointsMissingError(_problem(missing, wrong, collection))


def verify_points(
    run: IndexRun, items: Sequence[ChunkPoint], collection: Collection, store: VectorStore
) -> VerifiedPoints:
    """Read points' vectors and store the valid ones. Raises StoreError."""
    found = store.vectors(collection, [UUID(bytes=item.point) for item in items])
    read = VerifiedPoints()
    for item in items:
        vector = found.get(UUID(bytes=item.point))
        if vector is None:
            read.missing += 1
        elif _is_sound(vector, collection.embedder.dimensions):
            read.vectors[item.digest] = vector
        else:
            read.wrong += 1
    save_embeddings(
        repository_id=run.repository_id,
        embedder=run.embedder,
        vectors={digest: pack_vector(vector) for digest, vector in read.vectors.items()},
    )
    return read


def _is_sound(vector: Vector, dimensions: int) -> bool:
    return vector.shape == (dimensions,) and bool(check_normalised(vector[np.newaxis]).all())


def _problem(missing: int, wrong: int, collection: Collection) -> str:
    said = [
        f"{missing} are not in the vector store" if missing else "",
        f"{wrong} have no vector of {collection.embedder.dimensions} numbers and unit length there"
        if wrong
        else "",
    ]
    return (
        f"Of the points of this direct run {' and '.join(filter(None, said))}. Run the indexer "
        "again; what it embedded is known. If that does not help, let the vectors travel with the "
        "files: AETERNA_VECTORS=relay."
    )


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
        .select_related("run__repository__organization")
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
        ordered = sorted(points, key=lambda item: item.digest)
    except BundleError as exc:  # of another version, and unreadable
        _log.warning("upload_unreadable", run=str(run.pk), number=batch.number, error=str(exc))
        return
    collection = collection_of(run.repository, run.embedder)
    for part in slices(ordered, _ROWS):
        if run.is_direct:
            verify_points(run, part, collection, vector_store())
        elif are_vectors_paid(run):
            _salvage_vectors(run, part)
        with suppress(StoreFullError):  # the reconcile deletes them; the uploads take space
            ids = [UUID(bytes=item.point) for item in part]
            delete_points(store=vector_store(), collection=collection, ids=ids)


def _salvage_vectors(run: IndexRun, items: Sequence[ChunkPoint]) -> None:
    save_embeddings(
        repository_id=run.repository_id,
        embedder=run.embedder,
        vectors={item.digest: item.vector for item in items if item.vector},
    )
