"""The files that may match a tree of trigrams, by repository."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from central.corpus.models import TrigramPosting, TrigramSegment
from central.corpus.trigrams.hashes import FORMAT
from central.corpus.trigrams.postings import segment_matches
from central.corpus.trigrams.segments import FileIds, unpack_ids
from central.corpus.trigrams.tree import EVERYTHING, Tree, tree_hashes
from central.db import fetch_rows, id_array, sql
from central.repositories.models import Repository

_REPOSITORIES: Final = 64  # a statement, whose rows are in memory

# One statement, so that a merge cannot come between. The rows of a segment go by their keys.
_FOUND: Final = sql(
    """
    SELECT r.id, r.text_generation = r.generation AND COALESCE(s.format, %s::int) = %s::int,
        s.buckets, s.files, found.buckets, found.rows
    FROM {repository} r LEFT JOIN {segment} s ON s.repository_id = r.id
    LEFT JOIN LATERAL (
        SELECT array_agg(row.bucket) AS buckets, array_agg(row.data) AS rows
        FROM (
            SELECT DISTINCT (hash * s.buckets) >> 32 AS bucket
            FROM unnest(%s::bigint[]) AS hash
        ) AS wanted
        CROSS JOIN LATERAL (
            SELECT p.bucket, p.data FROM {posting} p
            WHERE p.segment_id = s.id AND p.bucket = wanted.bucket OFFSET 0
        ) AS row
    ) AS found ON true
    WHERE r.id = ANY(%s::bigint[])
    """,
    repository=Repository,
    segment=TrigramSegment,
    posting=TrigramPosting,
)


@dataclass(slots=True)
class Candidates:
    """Files by repository, of which some may be gone: join them with the rows of `File`.

    Of the repositories in `incomplete`, and in `damaged`, which have a segment that cannot be
    read, files that are not among these may match, too. If `is_everything`, every file may match,
    and `files` is empty.
    """

    files: dict[int, FileIds] = field(default_factory=dict)
    incomplete: set[int] = field(default_factory=set)
    damaged: set[int] = field(default_factory=set)
    is_everything: bool = False


def candidates(repository_ids: Sequence[int], tree: Tree) -> Candidates:
    """Find the files that satisfy a tree. One query for every 64 repositories."""
    if tree == EVERYTHING:
        return Candidates(is_everything=True)
    result = Candidates()
    for start in range(0, len(repository_ids), _REPOSITORIES):
        part = repository_ids[start : start + _REPOSITORIES]
        _add_candidates(result, part, tree)
    return result


def _add_candidates(result: Candidates, repository_ids: Sequence[int], tree: Tree) -> None:
    found: dict[int, list[FileIds]] = {}
    hashes = sorted(set(tree_hashes(tree)))
    rows = fetch_rows(_FOUND, [FORMAT, FORMAT, id_array(hashes), id_array(repository_ids)])
    for repository_id, is_complete, buckets, files, *postings in rows:
        if not is_complete:
            result.incomplete.add(repository_id)
        if files is not None:
            try:
                ids = unpack_ids(files)[segment_matches(tree, buckets, _pairs(*postings))]
            except (ValueError, IndexError):  # of a row that is none
                result.damaged.add(repository_id)
                continue
            if len(ids):
                found.setdefault(repository_id, []).append(ids)
    for repository_id, parts in found.items():
        result.files[repository_id] = np.unique(np.concatenate(parts))


def _pairs(
    buckets: Sequence[int] | None, rows: Sequence[bytes] | None
) -> Iterator[tuple[int, bytes]]:
    return zip(buckets or (), rows or (), strict=True)
