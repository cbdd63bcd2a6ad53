"""Merges of segments: small ones become larger, and files, or commits, that are gone leave them.

Sizes grow geometrically, so that a file is written again some log(n) times. A merge reads without
a lock; it is stored if its segments are all there still. An apply adds segments and deletes none.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from django.db import transaction

from central.corpus.trigrams.hashes import FORMAT, HASH_BITS
from central.corpus.trigrams.indexed import Indexed, sql_of_each
from central.corpus.trigrams.postings import (
    SEGMENT_FILES,
    SEGMENT_POSTINGS,
    Keys,
    bucket_count,
    bucket_of,
    encode_parts,
    part_count,
    posting_count,
    posting_keys,
    row_keys,
)
from central.corpus.trigrams.segments import (
    EncodedSegment,
    FileIds,
    delete_segments,
    insert_segment,
    unpack_ids,
)
from central.db import fetch_rows, id_array

MOST_SEGMENTS: Final = 8  # of a repository, that are not large
_SPARE_FILES: Final = 1_000  # that are gone and may stay in segments, beside as many as there are
_GONE: Final = np.int64(-1)

_DUE: Final = sql_of_each("""
    SELECT r.id FROM {repository} r JOIN {segment} s ON s.{of} = r.id
    WHERE r.retired_at IS NULL AND s.format = %s::int GROUP BY r.id
    HAVING count(*) FILTER (WHERE s.postings < %s::int AND length(s.files) < %s::int) > %s::int
        OR CASE WHEN sum(length(s.files)) / 8 > %s::int
            THEN sum(length(s.files)) / 8 > 2 * {count} + %s::int END
    ORDER BY r.id""")
_SEGMENTS: Final = sql_of_each(
    "SELECT id, postings, buckets, files FROM {segment}"
    " WHERE {of} = %s AND format = %s::int ORDER BY id"
)
_LIVE: Final = sql_of_each(
    "SELECT id FROM {document} WHERE repository_id = %s AND id = ANY(%s::bigint[])"
)
_ROWS: Final = sql_of_each(
    "SELECT data FROM {posting} WHERE segment_id = %s AND bucket BETWEEN %s AND %s ORDER BY bucket"
)


class Segment(NamedTuple):
    """A stored segment; `files` are its ids by ordinal, `live` says which are still there."""

    key: int
    postings: int
    buckets: int
    files: FileIds
    live: "np.ndarray[tuple[int], np.dtype[np.bool]]"

    @property
    def is_worn(self) -> bool:
        """Whether most of its files are gone."""
        return 2 * int(self.live.sum()) < len(self.files)


def repositories_to_merge(indexed: Indexed = Indexed.FILES) -> list[int]:
    """Return keys of repositories with too many segments, or with too many files that are gone."""
    limits = [SEGMENT_POSTINGS // 2, 8 * SEGMENT_FILES // 2, MOST_SEGMENTS]
    rows = fetch_rows(_DUE[indexed], [FORMAT, *limits, _SPARE_FILES, _SPARE_FILES])
    return [key for (key,) in rows]


def merge_segments(repository_id: int, indexed: Indexed = Indexed.FILES) -> bool:
    """Merge some segments of a repository; false if none should be or they were merged meanwhile.

    Not in a transaction. Takes a few seconds and 200 MB at most: segments have a largest size.
    """
    segments = chosen_segments(_read_segments(indexed, repository_id))
    if not segments:
        return False
    files, merged = _merged(segments, indexed)
    with transaction.atomic():
        if not delete_segments([segment.key for segment in segments], indexed):
            transaction.set_rollback(True)
            return False
        if len(files):
            insert_segment(repository_id, files, merged, indexed)
    return True


def chosen_segments(segments: Sequence[Segment]) -> list[Segment]:
    """Choose the segments to merge: those that are worn, or the smallest of too many."""
    if worn := [segment for segment in segments if segment.is_worn]:
        return _fitting(worn)
    small = [segment for segment in segments if segment.postings < SEGMENT_POSTINGS // 2]
    small = [segment for segment in small if len(segment.files) < SEGMENT_FILES // 2]
    if len(small) <= MOST_SEGMENTS:
        return []
    small.sort(key=lambda segment: segment.postings)
    chosen, size = small[:2], small[0].postings + small[1].postings
    for segment in small[2:]:
        if segment.postings > 2 * size:
            break
        chosen.append(segment)
        size += segment.postings
    return _fitting(chosen)


def _fitting(segments: Sequence[Segment]) -> list[Segment]:
    """Return the first segments that fit into one, at least one."""
    chosen: list[Segment] = []
    postings = files = 0
    for segment in segments:
        postings += segment.postings
        files += len(segment.files)
        if chosen and (postings > SEGMENT_POSTINGS or files > SEGMENT_FILES):
            break
        chosen.append(segment)
    return chosen


def _read_segments(indexed: Indexed, repository_id: int) -> list[Segment]:
    segments = []
    for key, postings, buckets, packed in fetch_rows(_SEGMENTS[indexed], [repository_id, FORMAT]):
        files = unpack_ids(packed)
        found = fetch_rows(_LIVE[indexed], [repository_id, id_array(files.tolist())])
        live = np.isin(files, np.array([file_id for (file_id,) in found], np.int64))
        segments.append(Segment(key, postings, buckets, files, live))
    return segments


def _merged(segments: Sequence[Segment], indexed: Indexed) -> tuple[FileIds, EncodedSegment]:
    files = np.concatenate([segment.files[segment.live] for segment in segments])
    postings = sum(segment.postings for segment in segments)
    buckets = bucket_count(postings)
    rows = encode_parts(_merged_parts(segments, part_count(postings, buckets), indexed), buckets)
    return files, EncodedSegment(sum(posting_count(row.data) for row in rows), buckets, rows)


def _merged_parts(segments: Sequence[Segment], parts: int, indexed: Indexed) -> Iterator[Keys]:
    """Yield the postings of live files, with their new ordinals, for each part of the hashes."""
    ordinals, start = [], 0
    for segment in segments:
        ordinals.append(np.where(segment.live, start + np.cumsum(segment.live) - 1, _GONE))
        start += int(segment.live.sum())
    for part in range(parts):
        first, end = ((part + n) * (1 << HASH_BITS) // parts for n in range(2))
        pairs = zip(segments, ordinals, strict=True)
        yield np.concatenate([_part_keys(*pair, first, end - 1, indexed) for pair in pairs])


def _part_keys(
    segment: Segment,
    ordinals: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    first: int,
    last: int,
    indexed: Indexed,
) -> Keys:
    between = [bucket_of(value, segment.buckets) for value in (first, last)]
    keys = [np.empty(0, np.uint64)]
    for (data,) in fetch_rows(_ROWS[indexed], [segment.key, *between]):
        hashes, former = row_keys(data)
        new = ordinals[former]
        is_in_range = (new != _GONE) & (hashes >= first) & (hashes <= last)
        keys.append(posting_keys(hashes[is_in_range], new[is_in_range]))
    return np.concatenate(keys)
