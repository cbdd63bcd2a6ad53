"""What is ranked: candidates, which gain fields from their row to the result, in batches. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from aeterna_code_search.contract.search import Explanation
from indexer.records.files import Span


class Candidate(NamedTuple):
    """A live chunk without its text.

    Its row gives `project`, the repository's name, to `file_vector`; corpus.embeddings reads
    `term_ids` (unpack_term_ids). `is_reexport`: its file only imports and exports, by its name and
    for want of other symbols. `file_vector` is packed (corpus.file_vectors); None of a file
    without.

    Retrieval adds `defines`, the symbols known to start in it, those of them that are `minor` (not
    exported, or overloads), and `cosine`, the highest with any query.

    The ranking adds `score`, its `explanation`, and `queries`, the indexes of those that found it.

    A result is several: `pieces` are the chunks of the same definition, if they are several; then
    it begins at `first_line`. `further` are the other hits of its file, best first, if it stands
    for the file.
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
