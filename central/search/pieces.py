"""Hits that become one: the pieces of a long definition, and the definitions of a file. Pure.

A function that is too long for a chunk is cut. Its pieces have one name, one container and one
first line of the definition; overloads have different first lines.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from central.search.ranking.scoring import ScoredHit
from central.search.rows import LiveChunk
from indexer.records.files import ChunkType

_CUT_TYPES = frozenset({ChunkType.FUNCTION, ChunkType.METHOD, ChunkType.CLASS})
_BLANK_LINES = 3  # at most between two pieces of a class; its methods are hits of their own

HitKey = tuple[object, ...]


class Joiner:
    """The hits of a search, each definition and each range of lines once, in ranked order.

    With `by_file`, each file once: its best hit, with the others in it. What is joined depends only
    on the batch in which a definition or file is first found, not on how many hits are wanted.
    `first_lines` reads the first lines of definitions.
    """

    def __init__(
        self,
        first_lines: Callable[[Sequence[int]], Mapping[int, int]],
        *,
        by_file: bool = False,
    ) -> None:
        self._first_lines = first_lines
        self._by_file = by_file
        self._hits: dict[HitKey, ScoredHit] = {}
        self._named: set[HitKey] = set()

    def __len__(self) -> int:
        return len(self._hits)

    @property
    def hits(self) -> list[ScoredHit]:
        """All hits so far, best first."""
        return list(self._hits.values())

    def add(self, ranked: Sequence[ScoredHit]) -> None:
        """Add the hits of the next batch, best first."""
        names = Counter(_name(hit.row) for hit in ranked)
        cut = [
            hit.row.id
            for hit in ranked
            if hit.row.name
            and hit.row.type in _CUT_TYPES
            and (names[_name(hit.row)] > 1 or _name(hit.row) in self._named)
        ]
        lines = self._first_lines(cut)
        self._named.update(names)
        groups: dict[HitKey, list[ScoredHit]] = {}
        for hit in ranked:
            groups.setdefault(_place(hit.row, lines.get(hit.row.id, 0)), []).append(hit)
        joined: dict[HitKey, ScoredHit] = {}
        for place, pieces in groups.items():
            for run in _runs(pieces):
                own = (*place, run[0].row.start_line) if len(run) < len(pieces) else place
                joined[own] = _join(run, lines)
        ranks = {hit.row.id: rank for rank, hit in enumerate(ranked)}
        found = sorted(joined.items(), key=lambda item: ranks[item[1].row.id])
        for own, hit in _files(hit for _, hit in found) if self._by_file else found:
            self._hits.setdefault(own, hit)


def ungrouped(hits: Iterable[ScoredHit]) -> list[ScoredHit]:
    """Return the hits of files as hits of their own, best first."""
    every = [scored_hit for hit in hits for scored_hit in (hit._replace(further=()), *hit.further)]
    return sorted(every, key=lambda hit: -hit.score)


def _files(hits: Iterable[ScoredHit]) -> list[tuple[HitKey, ScoredHit]]:
    """Return the best hit of each file, which holds the file's other hits."""
    files: dict[HitKey, list[ScoredHit]] = {}
    for hit in hits:
        files.setdefault((hit.row.repository, hit.row.path), []).append(hit)
    return [(file, best._replace(further=tuple(rest))) for file, (best, *rest) in files.items()]


def _name(row: LiveChunk) -> HitKey:
    return row.repository, row.path, row.type, row.container, row.name


def _place(row: LiveChunk, first_line: int) -> HitKey:
    if first_line:
        return (*_name(row), first_line)
    return row.repository, row.path, row.start_line, row.end_line


def _runs(pieces: list[ScoredHit]) -> list[list[ScoredHit]]:
    """Return the pieces of a function together, those of a class as far as they are adjacent."""
    if pieces[0].row.type != ChunkType.CLASS or len(pieces) == 1:
        return [pieces]
    runs: list[list[ScoredHit]] = []
    for hit in sorted(pieces, key=lambda hit: hit.row.start_line):
        if runs and hit.row.start_line - runs[-1][-1].row.end_line <= _BLANK_LINES + 1:
            runs[-1].append(hit)
        else:
            runs.append([hit])
    ranks = {hit.row.id: rank for rank, hit in enumerate(pieces)}
    for run in runs:
        run.sort(key=lambda hit: ranks[hit.row.id])
    return sorted(runs, key=lambda run: ranks[run[0].row.id])


def _join(pieces: Sequence[ScoredHit], first_lines: Mapping[int, int]) -> ScoredHit:
    """Return the best of the pieces, with the lines of all and what found any of them."""
    best = pieces[0]
    if len(pieces) == 1:
        return best
    rows = sorted((hit.row for hit in pieces), key=lambda row: (row.start_line, row.end_line))
    cosines = [hit.cosine for hit in pieces if hit.cosine is not None]
    start = best.row.start_line
    if rows[0].start_line <= first_lines.get(rows[0].id, 0):
        start = rows[0].start_line
    return best._replace(
        cosine=max(cosines, default=None),
        queries=tuple(sorted({query for hit in pieces for query in hit.queries})),
        pieces=tuple(rows),
        start_line=start,
    )
