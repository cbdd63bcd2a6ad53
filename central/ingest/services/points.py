"""Points of a run's chunks in the vector store: written and deleted."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar
from uuid import UUID

from central.corpus.backends import collection_of
from central.corpus.embeddings import chunk_texts, save_embeddings, stored_vectors
from central.corpus.file_vectors import FileVectors
from central.corpus.rows import point_ids
from central.ingest.models import IndexRun
from central.ingest.selectors import embedding_reuse_scope
from central.ingest.services.batches import Records, StoredRecords
from central.ingest.services.claims import Claim
from central.ingest.services.trees import TREE_NUMBER
from indexer.records.files import Chunk, FileRecord, Removal
from indexer.records.vectors import Vector, point_id
from indexer.store.base import Collection, Point, VectorStore

_ROWS = 256  # rows a statement
_Item = TypeVar("_Item")


def slices(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Split `items` into lists of `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


@dataclass(frozen=True, slots=True)
class ChunkPoint:
    """A chunk of a run, with its digest and point."""

    record: FileRecord
    chunk: Chunk
    digest: bytes
    point: UUID


def chunk_points(
    run_id: UUID, records: Sequence[FileRecord | Removal]
) -> Iterator[list[ChunkPoint]]:
    """Yield the chunks of all files of a batch, in slices."""
    items = (
        ChunkPoint(record, chunk, digest, point_id(run_id, record.path, ordinal))
        for record in records
        if isinstance(record, FileRecord)
        for ordinal, (chunk, (_, digest)) in enumerate(
            zip(record.chunks, chunk_texts(record), strict=True)
        )
    )
    return slices(items, _ROWS)


_POINTS = 64  # points a call: the embedded store holds the interpreter while it takes them
_AHEAD = 16  # slices in memory that wait for the store
_DELETIONS = 256  # points a call
_YIELD_SECONDS = 0.0005  # lets a waiting request have the interpreter at once


class EmbeddingGoneError(Exception):
    """A chunk has no vector, and the known one was deleted."""

    def __str__(self) -> str:
        return "A vector that was known is gone; run the indexer again."


class PointWriter:
    """A thread that upserts points while further points and rows are prepared.

    The end of `with` waits for the present write; after an exception, the rest is dropped.
    """

    def __init__(self, store: VectorStore, collection: Collection) -> None:
        self._store = store
        self._collection = collection
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="points")
        self._writing: deque[Future[None]] = deque()

    def __enter__(self) -> "PointWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(cancel_futures=True)

    def write(self, points: Sequence[Point]) -> None:
        """Queue a slice; waits while too many are. Raises StoreError, also of an earlier one."""
        self._writing.append(self._executor.submit(self._upsert, points))
        while len(self._writing) > _AHEAD or (self._writing and self._writing[0].done()):
            self._writing.popleft().result()

    def finish(self) -> None:
        """Wait until all points are written. Raises StoreError."""
        while self._writing:
            self._writing.popleft().result()

    def _upsert(self, points: Sequence[Point]) -> None:
        for part in slices(points, _POINTS):
            self._store.upsert(self._collection, part)
            time.sleep(_YIELD_SECONDS)


def upload_points(
    *, claim: Claim, records: Iterable[Records], writer: PointWriter, of_files: FileVectors
) -> None:
    """Write a point for every chunk of the run, and store every vector as an Embedding.

    `of_files` gets the vectors by file.
    Raises ClaimLostError, EmbeddingGoneError, StoreError.
    """
    run = claim.run
    total = uploaded_files(run)
    done = 0
    for batch in records:
        for items in chunk_points(run.pk, batch):
            vectors = _vectors(run, items)
            save_embeddings(repository_id=run.repository_id, embedder=run.embedder, vectors=vectors)
            writer.write([_point(run.pk, item, vectors[item.digest]) for item in items])
            for item in items:
                of_files.add(item.record.path, vectors[item.digest])
            claim.report("vectors", done, total)
        done += len(batch)


def uploaded_files(run: IndexRun) -> int:
    """Return the number of lines in the run's batches."""
    return sum(run.batch_set.filter(number__gt=TREE_NUMBER).values_list("files", flat=True))


def remove_points(*, run: IndexRun, store: VectorStore) -> None:
    """Delete the run's points; missing ones are no error."""
    collection = collection_of(run.repository, run.embedder)
    for records in StoredRecords(run, kept_bytes=0):  # read once
        files = [record for record in records if isinstance(record, FileRecord)]
        ids = [point for record in files for point in point_ids(run.pk, record)]
        delete_points(store=store, collection=collection, ids=ids)


def delete_points(*, store: VectorStore, collection: Collection, ids: Sequence[UUID]) -> None:
    """Delete points in slices."""
    for part in slices(ids, _DELETIONS):
        store.delete(collection, part)
        time.sleep(_YIELD_SECONDS)


def _vectors(run: IndexRun, items: Sequence[ChunkPoint]) -> dict[bytes, Vector]:
    came = {item.digest: item.chunk.vector for item in items if item.chunk.vector is not None}
    asked = {item.digest for item in items} - came.keys()
    if not asked:
        return came
    found = stored_vectors(
        repositories=embedding_reuse_scope(run), embedder=run.embedder, digests=asked
    )
    if asked - found.keys():
        raise EmbeddingGoneError
    return came | found


def _point(run_id: UUID, item: ChunkPoint, vector: Vector) -> Point:
    return Point(
        id=item.point,
        run=run_id,
        path=item.record.path,
        language=item.record.language,
        type=item.chunk.type,
        vector=vector,
        terms=item.chunk.terms,
    )
