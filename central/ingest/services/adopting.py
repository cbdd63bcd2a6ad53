"""Points that a direct run's client wrote: read back, checked, and their vectors kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from central.corpus.embeddings import save_embeddings
from central.corpus.vectors import collection_of
from central.ingest.models import IndexRun
from central.ingest.services.batches import StoredRecords
from central.ingest.services.claims import Claim
from central.ingest.services.pieces import Piece, pieces_of
from central.ingest.services.uploading import uploaded_files
from indexer.bundle.vectors import check_normalised
from indexer.records.vectors import Vector
from indexer.store.base import Collection, VectorStore


class PointsLackingError(Exception):
    """Points of a direct run are missing or wrong; the message is shown to the client."""


@dataclass(slots=True)
class ReadBack:
    """Vectors of points by digest; how many points are not there, and whose vectors are wrong."""

    vectors: dict[bytes, Vector] = field(default_factory=dict)
    missing: int = 0
    wrong: int = 0


def adopt_points(*, claim: Claim, records: StoredRecords, store: VectorStore) -> None:
    """Keep the vector of every chunk of the run as an Embedding.

    Raises ClaimLostError, PointsLackingError when all have been looked at, StoreError.
    """
    run = claim.run
    collection = collection_of(run.repository, run.embedder)
    total = uploaded_files(run)
    done = missing = wrong = 0
    for batch in records:
        for pieces in pieces_of(run.pk, batch):
            read = keep_points(run, pieces, collection, store)
            missing += read.missing
            wrong += read.wrong
            claim.report("vectors", done, total)
        done += len(batch)
    if missing or wrong:
        raise PointsLackingError(_problem(missing, wrong, collection))


def keep_points(
    run: IndexRun, pieces: Sequence[Piece], collection: Collection, store: VectorStore
) -> ReadBack:
    """Read points' vectors and keep those that are right. Raises StoreError."""
    found = store.vectors(collection, [piece.point for piece in pieces])
    read = ReadBack()
    for piece in pieces:
        vector = found.get(piece.point)
        if vector is None:
            read.missing += 1
        elif _is_sound(vector, collection.embedder.dimensions):
            read.vectors[piece.digest] = vector
        else:
            read.wrong += 1
    save_embeddings(repository_id=run.repository_id, embedder=run.embedder, vectors=read.vectors)
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
