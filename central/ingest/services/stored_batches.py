"""Batches of a run as they wait to be applied: decoded and encoded for COPY once, when they arrive.

They are read again to be staged, applied or salvaged. The body stays beside the rows: the version
before reads that alone, and so does this one where the rows are of another version.
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from django.conf import settings
from msgspec import MsgspecError, msgpack
from msgspec.inspect import type_info

from central.corpus.rows import (
    COPIES,
    FILE_COPY,
    EncodedFiles,
    FileRow,
    PackedPoint,
    RunContext,
    encode_files,
)
from central.db import fetch_rows, sql
from central.ingest.models import Batch, IndexRun
from central.ingest.services.trees import TREE_NUMBER
from indexer.bundle.decode import Record, decode_records
from indexer.bundle.gzip import compress, decompress
from indexer.errors import BundleError
from indexer.records.extractors import Extractor
from indexer.records.files import FileRecord, Removal
from indexer.records.history import Commit, CommitRemoval, PathChange
from indexer.records.scip import ScipDocument, ScipPlace, ScipRemoval
from indexer.records.vectors import EmbedderSpec

_VERSION: Final = 1  # raise it when other rows are made of the same record
_MOST_BYTES: Final = 2**30  # when decompressed: more than any batch makes
_KEPT_BYTES: Final = 40_000_000  # in memory, about
_VALUE_BYTES: Final = 64  # of memory that a value of a batch takes beside its text or bytes
_READ: Final = sql(
    "SELECT rows_format = %s::text, CASE WHEN rows_format = %s::text THEN rows ELSE body END"
    " FROM {batch} WHERE run_id = %s AND number = %s",
    batch=Batch,
)


class BatchRows(NamedTuple):
    """What a batch changes: files with all their rows, removed paths, SCIP documents, commits."""

    files: EncodedFiles
    removed: list[str]
    documents: list[ScipDocument]
    removed_documents: list[str]
    commits: list[Commit]
    removed_commits: list[str]

    @property
    def paths(self) -> list[str]:
        """The paths that it replaces or removes."""
        return [*(file.path for file in self.files.files), *self.removed]


ROWS_FORMAT: Final = hashlib.sha256(
    repr((_VERSION, FILE_COPY, COPIES, type_info(BatchRows))).encode()
).hexdigest()[:16]
_DECODER: Final = msgpack.Decoder(BatchRows)


def make_rows(run: IndexRun, records: Sequence[Record]) -> BatchRows:
    """Make the rows of a batch, and give ids to its files."""
    context = RunContext(
        repository_id=run.repository_id, run_id=run.pk, extractor=Extractor.parse(run.extractor)
    )
    return BatchRows(
        files=encode_files(
            context, [record for record in records if isinstance(record, FileRecord)]
        ),
        removed=[record.path for record in records if isinstance(record, Removal)],
        documents=[record for record in records if isinstance(record, ScipDocument)],
        removed_documents=[record.path for record in records if isinstance(record, ScipRemoval)],
        commits=[record for record in records if isinstance(record, Commit)],
        removed_commits=[record.sha for record in records if isinstance(record, CommitRemoval)],
    )


def pack_rows(batch: BatchRows) -> bytes:
    """Pack rows for the batch's table."""
    return compress(msgpack.encode(batch))


def unpack_rows(data: bytes) -> BatchRows:
    """Read what `pack_rows` packed in a process of the same ROWS_FORMAT. Raises BundleError."""
    try:
        return _DECODER.decode(decompress(data, limit_bytes=_MOST_BYTES))
    except MsgspecError as exc:
        raise BundleError("the rows of the batch are damaged") from exc


class StoredBatch(NamedTuple):
    """A batch of files, removals and documents."""

    number: int
    rows: BatchRows


def read_batch(run: IndexRun, number: int) -> StoredBatch:
    """Read a batch. Raises BundleError for a damaged one, and for a body of another version that
    this one refuses.
    """
    [(has_rows, data)] = fetch_rows(_READ, [ROWS_FORMAT, ROWS_FORMAT, run.pk, number])
    return StoredBatch(number, unpack_rows(data) if has_rows else _rows_of(run, data))


def _rows_of(run: IndexRun, body: bytes) -> BatchRows:
    """Make the rows of a batch that another version has stored."""
    dimensions = EmbedderSpec.parse(run.embedder).dimensions
    lines = decompress(body, limit_bytes=settings.BATCH_MAX_BYTES)
    return make_rows(run, list(decode_records(lines, dimensions=dimensions)))


class StoredBatches:
    """The run's batches in order, which may be iterated more than once.

    The first batches stay in memory, up to a limit; of a large run, one more at a time.
    """

    def __init__(self, run: IndexRun) -> None:
        self._run = run
        self._kept: dict[int, StoredBatch] = {}
        self._room = _KEPT_BYTES

    def __iter__(self) -> Iterator[StoredBatch]:
        for number in self._numbers():
            yield self._kept.get(number) or self._read(number)

    def groups(self) -> Iterator[list[StoredBatch]]:
        """Yield those in memory together, then each other one."""
        numbers = self._numbers()
        if kept := [self._kept[number] for number in numbers if number in self._kept]:
            yield kept
        for number in numbers:
            if number not in self._kept:
                yield [self._read(number)]

    def _numbers(self) -> list[int]:
        numbers = self._run.batch_set.filter(number__gt=TREE_NUMBER).order_by("number")
        return list(numbers.values_list("number", flat=True))

    def _read(self, number: int) -> StoredBatch:
        batch = read_batch(self._run, number)
        size = _size_in_memory(batch.rows)
        if size <= self._room:
            self._room -= size
            self._kept[number] = batch
        else:
            self._room = 0  # those after it stay behind it: commits are in order
        return batch


def _size_in_memory(batch: BatchRows) -> int:
    """Estimate it in bytes; its size as it is stored tells nothing: gzip may save 99.9 %."""
    files, documents = batch.files, batch.documents
    points = [len(point.terms) + len(point.vector) for own in files.packed_points for point in own]
    symbols = [len(symbol) for document in documents for symbol in document.symbols]
    places = [
        len(scip_document.definitions)
        + len(scip_document.references)
        + len(scip_document.relationships)
        for scip_document in documents
    ]
    values = (
        len(FileRow._fields) * len(files.files)
        + len(PackedPoint._fields) * len(points)
        + len(files.terms)
        + len(symbols)
        + len(ScipPlace._fields) * sum(places)
        + len(batch.paths)
        + len(batch.removed_documents)
        + len(Commit.__slots__) * len(batch.commits)
        + len(PathChange.__slots__) * sum(len(commit.changes) for commit in batch.commits)
        + len(batch.removed_commits)
    )
    sizes = (
        *(sys.getsizeof(file.content) for file in files.files),
        *(len(rows.data) for rows in files.rows.values()),
        *points,
        *symbols,
        *(sys.getsizeof(commit.body) for commit in batch.commits),
        *(
            sys.getsizeof(change.path) + sys.getsizeof(change.hunks)
            for commit in batch.commits
            for change in commit.changes
        ),
    )
    return sum(sizes) + _VALUE_BYTES * values


def stored_path_keys(run: IndexRun) -> set[int]:
    """Return the keys of all paths in the run's batches."""
    batches: Iterable[list[int]] = run.batch_set.values_list("path_keys", flat=True)
    return {key for keys in batches for key in keys}
