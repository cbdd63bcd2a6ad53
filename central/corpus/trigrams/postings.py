"""Posting rows: for each trigram of a segment, the files that have it.

A segment is some files, which it numbers. Its rows divide the range of hashes into equal buckets.
A row has three arrays, little-endian: the number of hashes (uint32) and the hashes (uint32), for
each the number of its files less one (uint16), and all their ordinals (uint16).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from central.corpus.trigrams.hashes import HASH_BITS, Hashes
from central.corpus.trigrams.tree import Ordinals, Tree, matching_ordinals

SEGMENT_FILES: Final = 1 << 16
SEGMENT_POSTINGS: Final = 1 << 23  # trigrams of all files together

_ROW_BYTES: Final = 1 << 13  # at least, about; at most twice as many
_DISTINCT_HASHES: Final = 1 << 17  # of much code
_MOST_BUCKETS: Final = 1 << 12
_PART_POSTINGS: Final = 1 << 20  # in memory beside the rows
_HASH: Final = np.dtype("<u4")
_ORDINAL: Final = np.dtype("<u2")
_HASH_BYTES: Final = _HASH.itemsize + _ORDINAL.itemsize  # with its count
_ORDINAL_BITS: Final = np.uint64(16)
_NONE: Final[Ordinals] = np.empty(0, _ORDINAL)

Keys: TypeAlias = NDArray[np.uint64]  # of postings: the hash, then the ordinal


class PostingRow(NamedTuple):
    """A stored row: its bucket and its arrays."""

    bucket: int
    data: bytes


class Postings(NamedTuple):
    """The arrays of a row. `counts` are of files for each hash; `ordinals` are in their order."""

    hashes: Hashes
    counts: NDArray[np.int64]
    ordinals: Ordinals


def bucket_count(postings: int) -> int:
    """Return the number of buckets of a segment: a power of two."""
    size = _ORDINAL.itemsize * postings + _HASH_BYTES * min(postings, _DISTINCT_HASHES)
    return min(1 << max(0, (size // _ROW_BYTES).bit_length() - 1), _MOST_BUCKETS)


def bucket_of(value: int, buckets: int) -> int:
    """Return the bucket of a hash."""
    return value * buckets >> HASH_BITS


def encode_segment(files: Sequence[Hashes]) -> tuple[int, list[PostingRow]]:
    """Return the number of buckets and the rows of files, by ordinal their hashes."""
    postings = sum(map(len, files))
    buckets = bucket_count(postings)
    return buckets, encode_parts(_file_parts(files, part_count(postings, buckets)), buckets)


def part_count(postings: int, buckets: int) -> int:
    """Return into how many parts a segment's range of hashes is divided while it is made."""
    return min(buckets, 1 << (postings // _PART_POSTINGS).bit_length())


def _file_parts(files: Sequence[Hashes], parts: int) -> Iterator[Keys]:
    edges = np.arange(1, parts, dtype=np.uint64) << np.uint64(HASH_BITS)
    edges //= np.uint64(parts)
    cuts = [np.searchsorted(hashes, edges).tolist() for hashes in files]
    cuts = [[0, *cut, len(hashes)] for cut, hashes in zip(cuts, files, strict=True)]
    for part in range(parts):
        slices = [
            hashes[cut[part] : cut[part + 1]] for cut, hashes in zip(cuts, files, strict=True)
        ]
        ordinals = np.repeat(np.arange(len(slices)), [len(slice_) for slice_ in slices])
        if slices:
            yield posting_keys(np.concatenate(slices), ordinals)


def posting_keys(hashes: NDArray[np.uint32], ordinals: NDArray[np.integer]) -> Keys:
    """Return keys of postings, in no order."""
    return (hashes.astype(np.uint64) << _ORDINAL_BITS) | ordinals.astype(np.uint64)


def encode_parts(parts: Iterable[Keys], buckets: int) -> list[PostingRow]:
    """Return the rows of postings that come in parts of the range of hashes, ascending."""
    rows: list[PostingRow] = []
    for keys in parts:
        keys.sort()
        values = (keys >> _ORDINAL_BITS).astype(np.uint32)
        places = (values.astype(np.uint64) * np.uint64(buckets)) >> np.uint64(HASH_BITS)
        starts = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1])))
        for start, end in zip(starts, [*starts[1:], len(keys)], strict=True) if len(keys) else ():
            data = _encode_row(values[start:end], keys[start:end].astype(_ORDINAL))
            rows.append(PostingRow(int(places[start]), data))
    return rows


def _encode_row(values: NDArray[np.uint32], ordinals: Ordinals) -> bytes:
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    counts = np.diff(starts, append=len(values))
    return b"".join(
        (
            len(starts).to_bytes(_HASH.itemsize, "little"),
            values[starts].astype(_HASH).tobytes(),
            (counts - 1).astype(_ORDINAL).tobytes(),
            ordinals.tobytes(),
        )
    )


def decode_row(data: bytes) -> Postings:
    """Read the arrays of a row. Raises ValueError if it is not one."""
    size = int.from_bytes(data[: _HASH.itemsize], "little")
    hashes = np.frombuffer(data, _HASH, size, _HASH.itemsize)
    after = _HASH.itemsize * (1 + size)
    counts = np.frombuffer(data, _ORDINAL, size, after).astype(np.int64) + 1
    ordinals = np.frombuffer(data, _ORDINAL, int(counts.sum()), after + _ORDINAL.itemsize * size)
    return Postings(hashes, counts, ordinals)


def posting_count(data: bytes) -> int:
    """Return the number of postings of a row."""
    size = int.from_bytes(data[: _HASH.itemsize], "little")
    return (len(data) - _HASH.itemsize - _HASH_BYTES * size) // _ORDINAL.itemsize


def row_keys(data: bytes) -> tuple[NDArray[np.uint32], Ordinals]:
    """Return hash and ordinal of each posting of a row."""
    row = decode_row(data)
    return np.repeat(row.hashes, row.counts), row.ordinals


def segment_matches(tree: Tree, buckets: int, rows: Iterable[tuple[int, bytes]]) -> Ordinals:
    """Return the files of a segment that satisfy a tree; `rows` are those of its trigrams.

    A row that does not exist has no postings. Raises ValueError for Everything.
    """
    stored = dict(rows)

    def lookup(value: int) -> Ordinals:
        data = stored.get(bucket_of(value, buckets))
        return _NONE if data is None else _files_with(data, value)

    return matching_ordinals(tree, lookup)


def _files_with(data: bytes, value: int) -> Ordinals:
    """Read what a row has of one hash, as `decode_row` reads all of it."""
    size = int.from_bytes(data[: _HASH.itemsize], "little")
    hashes = np.frombuffer(data, _HASH, size, _HASH.itemsize)
    place = int(hashes.searchsorted(np.uint32(value)))
    if place == size or hashes[place] != value:
        return _NONE
    after = _HASH.itemsize * (1 + size)
    counts = np.frombuffer(data, _ORDINAL, size, after)
    start = size + place + int(counts[:place].sum(dtype=np.int64))
    return np.frombuffer(data, _ORDINAL, int(counts[place]) + 1, after + _ORDINAL.itemsize * start)
