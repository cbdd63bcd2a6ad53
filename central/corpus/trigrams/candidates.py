"""The files that may match a tree of trigrams, by repository.

Of many repositories, a few tell which trigrams are rare: only the rarest are looked up in all
(decision 0078). Any choice finds each file that matches.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from central.corpus.models import TrigramPosting, TrigramSegment
from central.corpus.trigrams.hashes import FORMAT
from central.corpus.trigrams.postings import segment_matches
from central.corpus.trigrams.segments import FileIds, unpack_ids
from central.corpus.trigrams.tree import (
    EVERYTHING,
    Tree,
    Trigram,
    rarest,
    restricted,
    tree_hashes,
)
from central.db import fetch_rows, id_array, sql
from central.repositories.models import Repository

_ROWS: Final = 1_024  # posting rows of a statement, about; they are in memory
_FEW: Final = 64  # repositories, in all of which all trigrams of a query are looked up
_SAMPLED: Final = 8  # of more, in which they are counted

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
    and `files` is empty. `chosen` are the trigrams that were looked up in all repositories: a bit
    for each of the tree, by their hashes.
    """

    files: dict[int, FileIds] = field(default_factory=dict)
    incomplete: set[int] = field(default_factory=set)
    damaged: set[int] = field(default_factory=set)
    is_everything: bool = False
    chosen: int = 0

    @property
    def count(self) -> int:
        """How many files these are."""
        return sum(map(len, self.files.values()))


class _Segment(NamedTuple):
    """A row of `_FOUND`, with the posting rows of the trigrams that were asked for."""

    repository: int
    is_complete: bool
    buckets: int
    files: bytes | None
    found: Sequence[int] | None
    rows: Sequence[bytes] | None

    def matches(self, tree: Tree) -> FileIds:
        """Return the files that satisfy a tree. Raises ValueError or IndexError if damaged."""
        if self.files is None:
            return np.empty(0, np.int64)
        postings = zip(self.found or (), self.rows or (), strict=True)
        return unpack_ids(self.files)[segment_matches(tree, self.buckets, postings)]


def candidates(
    repository_ids: Sequence[int], tree: Tree, *, most: int, chosen: int = 0
) -> Candidates:
    """Find the files that satisfy what a tree requires of its rarest trigrams.

    If these are more than `most`, the first repositories are narrowed to files that satisfy the
    whole tree, until there are more than `most` of these. `chosen` is that of the page before, so
    that both are of the same files.
    """
    if tree == EVERYTHING:
        return Candidates(is_everything=True)
    hashes = sorted(set(tree_hashes(tree)))
    rare = restricted(tree, {one for at, one in enumerate(hashes) if chosen >> at & 1})
    if rare == EVERYTHING:
        is_few = len(repository_ids) <= _FEW
        rare = tree if is_few else rarest(tree, _counts(repository_ids, hashes))
    used = set(tree_hashes(rare))
    result = Candidates(chosen=sum(1 << at for at, one in enumerate(hashes) if one in used))
    for part in _portions(repository_ids, rare):
        _look_up(result, part, rare)
    if rare != tree and result.count > most:
        _narrow(result, [one for one in repository_ids if one in result.files], tree, most)
    return result


def _counts(repository_ids: Sequence[int], hashes: Sequence[int]) -> Counter[int]:
    """Return in how many files of some of the repositories each trigram is."""
    counts = Counter[int]()
    for segment in _segments(repository_ids[:: -(-len(repository_ids) // _SAMPLED)], hashes):
        with suppress(ValueError, IndexError):  # of a row that is none
            counts.update({one: len(segment.matches(Trigram(one))) for one in hashes})
    return counts


def _narrow(result: Candidates, repository_ids: Sequence[int], tree: Tree, most: int) -> None:
    """Look up the whole tree in one repository after another until there are more than `most`."""
    narrow = Candidates()
    for part in _portions(repository_ids, tree):
        _look_up(narrow, part, tree)
        for one in part:
            del result.files[one]
        if narrow.count > most:
            break
    result.files.update(narrow.files)
    result.damaged |= narrow.damaged


def _portions(repository_ids: Sequence[int], tree: Tree) -> Iterator[Sequence[int]]:
    size = max(1, _ROWS // len(set(tree_hashes(tree))))
    for start in range(0, len(repository_ids), size):
        yield repository_ids[start : start + size]


def _look_up(result: Candidates, repository_ids: Sequence[int], tree: Tree) -> None:
    found: dict[int, list[FileIds]] = {}
    for segment in _segments(repository_ids, tree_hashes(tree)):
        if not segment.is_complete:
            result.incomplete.add(segment.repository)
        try:
            ids = segment.matches(tree)
        except (ValueError, IndexError):  # of a row that is none
            result.damaged.add(segment.repository)
            continue
        if len(ids):
            found.setdefault(segment.repository, []).append(ids)
    for repository_id, parts in found.items():
        result.files[repository_id] = np.unique(np.concatenate(parts))


def _segments(repository_ids: Sequence[int], hashes: Iterable[int]) -> Iterator[_Segment]:
    wanted = id_array(sorted(set(hashes)))
    rows = fetch_rows(_FOUND, [FORMAT, FORMAT, wanted, id_array(repository_ids)])
    return map(_Segment._make, rows)
