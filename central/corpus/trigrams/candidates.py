"""The files, or commits, that may match a tree of trigrams, by repository.

A search of many repositories looks up some of the trigrams only: those that leave few files in
some of the repositories (decision 78). Whichever they are, each file that matches is found.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from central.corpus.trigrams.hashes import FORMAT
from central.corpus.trigrams.indexed import Indexed, sql_of_each
from central.corpus.trigrams.postings import segment_matches
from central.corpus.trigrams.segments import FileIds, unpack_ids
from central.corpus.trigrams.tree import (
    EVERYTHING,
    Ordinals,
    Tree,
    Trigram,
    matching_bits,
    restricted,
    tree_hashes,
)
from central.db import fetch_rows, id_array

_ROWS: Final = 1_024  # posting rows of a statement, about; they are in memory
_REPOSITORIES: Final = 128  # of a statement, at most
_FEW: Final = 32  # repositories, in which the whole tree is looked up
_FEW_TRIGRAMS: Final = 3  # all of which are looked up
_SAMPLED: Final = 16  # of more, which tell what to look up
_ROWS_OF_FILE: Final = 3  # that take as long to read as a file that does not match

# One statement, so that a merge cannot come between. The rows of a segment go by their keys.
_FOUND: Final = sql_of_each(
    """
    SELECT r.id, {is_complete} AND COALESCE(s.format, %s::int) = %s::int,
        s.buckets, s.files, found.buckets, found.rows
    FROM {repository} r LEFT JOIN {segment} s ON s.{of} = r.id
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
    """
)


@dataclass(slots=True)
class Candidates:
    """Files by repository, of which some may be gone: join them with the rows of `File`.

    Or commits: then `files` are ids of `Commit`.

    Of the repositories in `incomplete`, and in `damaged`, which have a segment that cannot be
    read, files that are not among these may match, too. So may files of `beyond`, which were not
    looked up, as others have enough. If `is_everything`, every file may match, and `files` is
    empty. `chosen` are the trigrams that were looked up in all repositories: a bit for each of the
    tree, by their hashes.
    """

    files: dict[int, FileIds] = field(default_factory=dict)
    incomplete: set[int] = field(default_factory=set)
    damaged: set[int] = field(default_factory=set)
    beyond: Sequence[int] = ()
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

    def ordinals(self, tree: Tree) -> Ordinals:
        """Return the files that satisfy a tree. Raises ValueError or IndexError for a bad row."""
        postings = zip(self.found or (), self.rows or (), strict=True)
        return segment_matches(tree, self.buckets, postings)


def candidates(
    repository_ids: Sequence[int],
    tree: Tree,
    *,
    most: int,
    chosen: int = 0,
    of_commits: bool = False,
) -> Candidates:
    """Find the files that satisfy a tree, or enough of its trigrams; with `of_commits`, commits.

    If these are more than `most`, the first that are more satisfy the whole tree. `chosen` is that
    of the page before, so that both are of the same files.
    """
    if tree == EVERYTHING:
        return Candidates(is_everything=True)
    indexed = Indexed.COMMITS if of_commits else Indexed.FILES
    hashes = sorted(set(tree_hashes(tree)))
    part = restricted(tree, {digest for at, digest in enumerate(hashes) if chosen >> at & 1})
    if part == EVERYTHING:
        part = restricted(tree, _useful_trigrams(indexed, repository_ids, tree, most))
    used = set(tree_hashes(part))
    result = Candidates(chosen=sum(1 << at for at, digest in enumerate(hashes) if digest in used))
    rest = repository_ids
    wide: list[int] = []  # repositories in which only the part was looked up
    while rest and result.count <= most:
        found, rest = _look_up(indexed, result, rest, part)
        wide += found
        if result.count > most and part != tree:
            _narrow(indexed, result, wide, tree)
            wide = []
    result.beyond = rest
    return result


def _useful_trigrams(
    indexed: Indexed, repository_ids: Sequence[int], tree: Tree, most: int
) -> set[int]:
    """Return the trigrams that are worth a row, by the files of some of the repositories.

    One after another is left out, those of fewest alternatives and of most files first. None is if
    more than `most` files have all: they would be looked up in any case.
    """
    uses = Counter(tree_hashes(tree))
    if len(repository_ids) <= _FEW or len(uses) <= _FEW_TRIGRAMS:
        return set(uses)
    sampled = repository_ids[:: -(-len(repository_ids) // _SAMPLED)]
    segments = [
        segment for segment in _segments(indexed, sampled, tree) if segment.files is not None
    ]
    bits = {use: _bits(segments, use) for use in uses}
    files = matching_bits(tree, bits).bit_count()
    if files * len(repository_ids) > most * len(sampled):
        return set(uses)
    for use in sorted(
        uses, key=lambda trigram: (uses[trigram], -bits[trigram].bit_count(), trigram)
    ):
        own = bits.pop(use)
        found = matching_bits(tree, bits)
        if found < 0 or (found.bit_count() - files) * _ROWS_OF_FILE > len(segments):
            bits[use] = own
        else:
            files = found.bit_count()
    return set(bits)


def _bits(segments: Sequence[_Segment], value: int) -> int:
    """Return the files of segments that have a trigram, as the bits of a number."""
    flags = [np.zeros(0, bool)]
    for segment in segments:
        with suppress(ValueError, IndexError):  # of a row that is none
            flags.append(np.zeros(len(unpack_ids(segment.files or b"")), bool))
            flags[-1][segment.ordinals(Trigram(value))] = True
    return int.from_bytes(np.packbits(np.concatenate(flags)).tobytes())


def _narrow(
    indexed: Indexed, result: Candidates, repository_ids: Sequence[int], tree: Tree
) -> None:
    """Look up the whole tree in repositories."""
    for repository_id in repository_ids:
        result.files.pop(repository_id, None)
    rest = repository_ids
    while rest:
        _, rest = _look_up(indexed, result, rest, tree)


def _look_up(
    indexed: Indexed, result: Candidates, repository_ids: Sequence[int], tree: Tree
) -> tuple[list[int], Sequence[int]]:
    """Look up a tree in the first repositories; return those with candidates, and the rest."""
    size = max(1, min(_REPOSITORIES, _ROWS // len(set(tree_hashes(tree)))))
    found: dict[int, list[FileIds]] = {}
    for segment in _segments(indexed, repository_ids[:size], tree):
        if not segment.is_complete:
            result.incomplete.add(segment.repository)
        if segment.files is not None:
            try:
                ids = unpack_ids(segment.files)[segment.ordinals(tree)]
            except (ValueError, IndexError):  # of a row that is none
                result.damaged.add(segment.repository)
                continue
            if len(ids):
                found.setdefault(segment.repository, []).append(ids)
    for repository_id, parts in found.items():
        result.files[repository_id] = np.unique(np.concatenate(parts))
    return list(found), repository_ids[size:]


def _segments(indexed: Indexed, repository_ids: Sequence[int], tree: Tree) -> Iterator[_Segment]:
    wanted = id_array(sorted(set(tree_hashes(tree))))
    rows = fetch_rows(_FOUND[indexed], [FORMAT, FORMAT, wanted, id_array(repository_ids)])
    return map(_Segment._make, rows)
