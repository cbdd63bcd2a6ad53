"""Segments of the text index as they are made and stored.

Trigrams are computed and encoded outside of the transaction that stores them. Beside the hashes of
one segment, what waits is on disk.
"""

from collections.abc import Hashable, Mapping, Sequence
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Final, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from central.corpus.branches.tables import OTHERS
from central.corpus.models import TrigramPosting, TrigramSegment
from central.corpus.trigrams.hashes import FORMAT, Hashes, content_hashes
from central.corpus.trigrams.indexed import Indexed, sql_of_each
from central.corpus.trigrams.postings import (
    SEGMENT_FILES,
    SEGMENT_POSTINGS,
    PostingRow,
    encode_segment,
    row_keys,
)
from central.db import columns_of, copy_into, copy_rows, execute, fetch_rows, id_array, new_ids

FileIds = NDArray[np.int64]
_Key = TypeVar("_Key", bound=Hashable)

_ID: Final = np.dtype("<i8")
_SPOOLED_BYTES: Final = 16_000_000
_SCHEMAS: Final = {Indexed.FILES: "", Indexed.OTHER_FILES: OTHERS, Indexed.COMMITS: ""}
_COPIES: Final = {
    schema: (
        copy_into(TrigramSegment, "id", *columns_of(TrigramSegment), schema=schema),
        copy_into(TrigramPosting, "segment_id", "bucket", "data", schema=schema),
    )
    for schema in ("", OTHERS)
}
_ROWS: Final = sql_of_each("SELECT data FROM {posting} WHERE segment_id = %s ORDER BY bucket")
_DELETE_ROWS: Final = sql_of_each("DELETE FROM {posting} WHERE segment_id = ANY(%s::bigint[])")
_DELETE: Final = sql_of_each("DELETE FROM {segment} WHERE id = ANY(%s::bigint[]) RETURNING id")


def pack_ids(ids: Sequence[int] | FileIds) -> bytes:
    """Pack file ids by ordinal."""
    return np.asarray(ids, _ID).tobytes()


def unpack_ids(data: bytes) -> FileIds:
    """Read what `pack_ids` packed, without copying."""
    return np.frombuffer(data, _ID)


def read_hashes(
    segment: int, ordinals: Sequence[int] | FileIds, indexed: Indexed = Indexed.FILES
) -> dict[int, Hashes]:
    """Return the stored hashes of some files of a segment, all of whose rows are read."""
    found: dict[int, list[Hashes]] = {int(ordinal): [] for ordinal in ordinals}
    for (data,) in fetch_rows(_ROWS[indexed], [segment]):
        hashes, owners = row_keys(data)
        for ordinal, parts in found.items():
            parts.append(hashes[owners == ordinal])
    empty = np.empty(0, np.uint32)
    return {ordinal: np.concatenate([empty, *parts]) for ordinal, parts in found.items()}


class EncodedSegment(NamedTuple):
    """A segment without its files, and the number of their trigrams."""

    postings: int
    buckets: int
    rows: Sequence[PostingRow]


def insert_segment(
    repository_id: int,
    files: Sequence[int] | FileIds,
    segment: EncodedSegment,
    indexed: Indexed = Indexed.FILES,
) -> None:
    """Store a segment of some files, or commits, by ordinal. In a transaction."""
    [key] = new_ids(TrigramSegment, 1)
    of = (None, repository_id) if indexed is Indexed.COMMITS else (repository_id, None)
    row = (key, *of, pack_ids(files), segment.postings, segment.buckets, FORMAT)
    segments, postings = _COPIES[_SCHEMAS[indexed]]
    copy_rows(segments, [row])
    copy_rows(postings, [(key, *posting_row) for posting_row in segment.rows])


def delete_segments(keys: Sequence[int], indexed: Indexed = Indexed.FILES) -> bool:
    """Delete segments; false if one was gone before. In a transaction."""
    execute(_DELETE_ROWS[indexed], [id_array(keys)])
    return len(fetch_rows(_DELETE[indexed], [id_array(keys)])) == len(keys)


class _Waiting(NamedTuple, Generic[_Key]):
    """A segment whose rows are in the file: their buckets and sizes, in order."""

    files: list[_Key]
    postings: int
    buckets: int
    rows: list[tuple[int, int]]


class SegmentWriter(Generic[_Key]):
    """Segments of files, or commits, that are added by a key; ids come when they are inserted."""

    def __init__(self, indexed: Indexed = Indexed.FILES) -> None:
        self._indexed = indexed
        # Closed by __exit__.
        self._file: IO[bytes] = SpooledTemporaryFile(max_size=_SPOOLED_BYTES)  # noqa: SIM115
        self._waiting: list[_Waiting[_Key]] = []
        self._files: list[_Key] = []
        self._hashes: list[Hashes] = []
        self._postings = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, key: _Key, text: str) -> None:
        """Add a file, after the encoding of a full segment."""
        hashes = content_hashes(text)
        is_full = len(self._files) == SEGMENT_FILES
        if is_full or self._postings + len(hashes) > SEGMENT_POSTINGS:
            self._encode()
        self._files.append(key)
        self._hashes.append(hashes)
        self._postings += len(hashes)

    def finish(self) -> None:
        """Encode the last segment; after it, `insert` only copies."""
        if self._files:
            self._encode()

    def insert(self, repository_id: int, ids: Mapping[_Key, int]) -> None:
        """Store all segments. In a transaction; may be repeated in another one."""
        self._file.seek(0)
        for files, postings, buckets, sizes in self._waiting:
            rows = [PostingRow(bucket, self._file.read(size)) for bucket, size in sizes]
            segment = EncodedSegment(postings, buckets, rows)
            keys = [ids[key] for key in files]
            insert_segment(repository_id, keys, segment, self._indexed)

    def _encode(self) -> None:
        buckets, rows = encode_segment(self._hashes)
        for row in rows:
            self._file.write(row.data)
        sizes = [(row.bucket, len(row.data)) for row in rows]
        self._waiting.append(_Waiting(self._files, self._postings, buckets, sizes))
        self._files, self._hashes, self._postings = [], [], 0
