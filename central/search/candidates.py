"""What is ranked: candidates, which gain fields from their row to the result, in batches. Pure.

Several become one hit: the pieces of a long definition, and the definitions of a file. A function
that is too long for a chunk is cut. Its pieces have one name, one container and one first line of
the definition; overloads have different first lines.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from aeterna_code_search.contract.search import Explanation
from indexer.records.files import ChunkType, Span


class Candidate(NamedTuple):
    """A live chunk without its text.

    Its row gives `project`, the repository's name, to `file_vector`; corpus.embeddings reads
    `term_ids` (unpack_term_ids). `is_reexport`: its file only imports and exports, by its name and
    for want of other symbols. `file_vector` is packed (corpus.embeddings); None of a file
    without.

    Retrieval adds `defines`, the symbols known to start in it, those of them that are `minor` (not
    exported, or overloads), and `cosine`, the highest with any query.

    The ranking adds `score`, its `explanation`, and `queries`, the indexes of those that found it.

    A result is several: `pieces` are the chunks of the same definition, if they are several; then
    it begins at `first_line`. `further` are the other hits of its file, best first, if it stands
    for the file. `version`: where several branches are read, the key of the file's row.
    """

    project: str
    id: int
    point: UUID
    repository: int
    path: str
    language: str
    start_line: int
    end_line: int
    type: str
    name: str
    container: str
    term_ids: bytes
    is_reexport: bool
    file_vector: bytes | None = None
    defines: tuple[str, ...] = ()
    minor: tuple[str, ...] = ()
    cosine: float | None = None
    score: float = 0.0
    explanation: Explanation | None = None
    queries: tuple[int, ...] = ()
    pieces: tuple["Candidate", ...] = ()
    first_line: int = 0
    further: tuple["Candidate", ...] = ()
    version: int = 0

    @property
    def file(self) -> tuple[int, str]:
        """(repository, path)."""
        return self.repository, self.path

    @property
    def place(self) -> tuple[str, str, int, int]:
        """(project, path, start_line, end_line), by which ties are broken."""
        return self.project, self.path, self.start_line, self.end_line

    @property
    def span(self) -> Span:
        """Its lines: from the signature, where a piece holds it, to the end of the best piece."""
        return Span(self.first_line or self.start_line, self.end_line)

    def defining(self, names: tuple[str, ...], minor: tuple[str, ...]) -> "Candidate":
        """Return it as a chunk that also defines these."""
        return self._replace(defines=self.defines + names, minor=self.minor + minor)


@dataclass(slots=True)
class Lists:
    """The candidates of one query in a batch: raw scores by id, in descending order.

    `files` are the similarities of their files, each as a whole, in no order.
    Ids are those of chunks or, before the rows are known, of points. They are integers because
    Python code hashes and compares a UUID, thousands of times in a search.
    """

    dense: dict[int, float] = field(default_factory=dict)
    lexical: dict[int, float] = field(default_factory=dict)
    lexical_floor: float = 0.0
    files: dict[int, float] = field(default_factory=dict)

    def renamed(self, ids: Mapping[int, int]) -> "Lists":
        """Return the lists with ids replaced by `ids`, without the entries that it lacks."""
        return Lists(
            {ids[key]: score for key, score in self.dense.items() if key in ids},
            {ids[key]: score for key, score in self.lexical.items() if key in ids},
            self.lexical_floor,
            {ids[key]: score for key, score in self.files.items() if key in ids},
        )


@dataclass(slots=True)
class CandidateBatch:
    """Candidates by chunk id, and each query's lists of them.

    `is_truncated`: this is the last batch although the store holds more than LAST_SIZE hits.
    """

    candidates: dict[int, Candidate]
    lists: list[Lists]
    is_truncated: bool = False


_CUT_TYPES = frozenset({ChunkType.FUNCTION, ChunkType.METHOD, ChunkType.CLASS})
_BLANK_LINES = 3  # at most between two pieces of a class; its methods are hits of their own

HitKey = tuple[object, ...]


class Version(NamedTuple):
    """The version of a file that a chunk is of, by its row, and the digest of the chunk's text."""

    file: int
    digest: bytes


class Joiner:
    """The hits of a search, each definition and each range of lines once, in ranked order.

    With `by_file`, each file once: its best hit, with the others in it. What is joined depends only
    on the batch in which a definition or file is first found, not on how many hits are wanted.
    `first_lines` reads the first lines of definitions. `versions` is given where several branches
    are read: what several versions of a file have is one hit.
    """

    def __init__(
        self,
        first_lines: Callable[[Sequence[int]], Mapping[int, int]],
        *,
        by_file: bool = False,
        versions: Callable[[Sequence[int]], Mapping[int, Version]] | None = None,
    ) -> None:
        self._first_lines = first_lines
        self._versions = versions
        self._texts: Counter[HitKey] = Counter()  # hits with the text, and of each version
        self._by_file = by_file
        self._hits: dict[HitKey, Candidate] = {}
        self._named: set[HitKey] = set()

    def __len__(self) -> int:
        return len(self._hits)

    @property
    def hits(self) -> list[Candidate]:
        """All hits so far, best first."""
        return list(self._hits.values())

    def add(self, ranked: Sequence[Candidate]) -> None:
        """Add the hits of the next batch, best first."""
        versions = self._versions([hit.id for hit in ranked]) if self._versions else {}
        if versions:
            ranked = [
                hit._replace(version=versions[hit.id].file) for hit in ranked if hit.id in versions
            ]
        names = Counter(map(_name, ranked))
        again = {name for name, count in names.items() if count > 1 or name in self._named}
        cut = [
            hit.id for hit in ranked if hit.name and hit.type in _CUT_TYPES and _name(hit) in again
        ]
        lines = self._first_lines(cut)
        self._named.update(names)
        groups: dict[HitKey, list[Candidate]] = {}
        for hit in ranked:
            groups.setdefault(_place(hit, lines.get(hit.id, 0)), []).append(hit)
        joined: dict[HitKey, Candidate] = {}
        for place, pieces in groups.items():
            for run in _runs(pieces):
                own = (*place, run[0].start_line) if len(run) < len(pieces) else place
                joined[own] = _join(run, lines)
        ranks = {hit.id: rank for rank, hit in enumerate(ranked)}
        found = sorted(joined.items(), key=lambda item: ranks[item[1].id])
        for own, hit in _files(hit for _, hit in found) if self._by_file else found:
            if not versions or self._is_new_text(hit, versions):
                self._hits.setdefault(own, hit)

    def _is_new_text(self, hit: Candidate, versions: Mapping[int, Version]) -> bool:
        """Whether no other version of its file had the same text before, as often as this one."""
        digests = [versions[piece.id].digest for piece in hit.pieces or (hit,)]
        text = (*hit.file, hit.type, hit.container, hit.name, *digests)
        own = (hit.version, *text)
        self._texts[own] += 1
        is_new = self._texts[own] > self._texts[text]
        self._texts[text] += is_new
        return is_new


def ungrouped(hits: Iterable[Candidate]) -> list[Candidate]:
    """Return the hits of files as hits of their own, best first."""
    every = [
        hit
        for best in hits
        for hit in (best._replace(further=()) if best.further else best, *best.further)
    ]
    return sorted(every, key=lambda hit: -hit.score)


def _files(hits: Iterable[Candidate]) -> list[tuple[HitKey, Candidate]]:
    """Return the best hit of each file, which holds the file's other hits."""
    files: dict[HitKey, list[Candidate]] = {}
    for hit in hits:
        files.setdefault((*hit.file, hit.version), []).append(hit)
    return [(file, best._replace(further=tuple(rest))) for file, (best, *rest) in files.items()]


def _name(hit: Candidate) -> HitKey:
    return hit.repository, hit.path, hit.version, hit.type, hit.container, hit.name


def _place(hit: Candidate, first_line: int) -> HitKey:
    if first_line:
        return (*_name(hit), first_line)
    return hit.repository, hit.path, hit.version, hit.start_line, hit.end_line


def _runs(pieces: list[Candidate]) -> list[list[Candidate]]:
    """Return the pieces of a function together, those of a class as far as they are adjacent."""
    if pieces[0].type != ChunkType.CLASS or len(pieces) == 1:
        return [pieces]
    runs: list[list[Candidate]] = []
    for hit in sorted(pieces, key=lambda hit: hit.start_line):
        if runs and hit.start_line - runs[-1][-1].end_line <= _BLANK_LINES + 1:
            runs[-1].append(hit)
        else:
            runs.append([hit])
    ranks = {hit.id: rank for rank, hit in enumerate(pieces)}
    for run in runs:
        run.sort(key=lambda hit: ranks[hit.id])
    return sorted(runs, key=lambda run: ranks[run[0].id])


def _join(pieces: Sequence[Candidate], first_lines: Mapping[int, int]) -> Candidate:
    """Return the best of the pieces, with the lines of all and what found any of them."""
    best = pieces[0]
    if len(pieces) == 1:
        return best
    in_place = sorted(pieces, key=lambda hit: (hit.start_line, hit.end_line))
    first = in_place[0]
    begins = first.start_line <= first_lines.get(first.id, 0)
    return best._replace(
        cosine=max((hit.cosine for hit in pieces if hit.cosine is not None), default=None),
        queries=tuple(sorted({query for hit in pieces for query in hit.queries})),
        pieces=tuple(in_place),
        first_line=first.start_line if begins else 0,
    )
