"""What is asked of an index of code, and what it answers; the same for both kinds of index."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Backend(StrEnum):
    """Whose index answered."""

    CHUNKHOUND = "chunkhound"
    AETERNA = "aeterna"


class ChunkType(StrEnum):
    """What may be asked for. An index has more kinds, which no filter names."""

    FUNCTION = "function"
    CLASS = "class"
    METHOD = "method"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Target:
    """A project and the database that is looked at.

    `root` is absolute; `is_explicit`: the caller named the database, and no other index answers.
    """

    root: Path
    database: Path
    is_explicit: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """What a result must be; `excluded` are parts of paths in lower case."""

    language: str = ""
    chunk_type: ChunkType | None = None
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A validated search of one project."""

    target: Target
    queries: tuple[str, ...]
    limit: int = 10
    expand: int = 0
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A chunk. Lines are 1-based and inclusive; None: the index does not know them.

    `file` is relative to the project's root. `score` is the cosine of query and chunk. `content`
    has the lines `content_start_line` to `content_end_line`, cut if `truncated`.
    """

    file: str
    name: str
    chunk_type: str
    language: str
    start_line: int | None
    end_line: int | None
    score: float
    content: str
    content_start_line: int | None
    content_end_line: int | None
    truncated: bool
    matched_query: str


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Results of one query or several, best first."""

    queries: tuple[str, ...]
    project: str
    backend: Backend
    database: str
    count: int
    results: tuple[SearchResult, ...]


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What an index holds. `embeddings` None: not told. `languages`: files by language."""

    project: str
    backend: Backend
    database: str
    files: int
    chunks: int
    embeddings: int | None
    languages: dict[str, int]


class Index(Protocol):
    """An index of one project. Raises CodeSearchError."""

    backend: Backend

    @property
    def location(self) -> str:
        """The database file, or where the service is."""
        ...

    def search(self, request: SearchRequest) -> list[list[SearchResult]]:
        """For each query at most `limit` results, best first."""
        ...

    def status(self) -> IndexStatus:
        """What it holds."""
        ...


def merge_results(found: Sequence[Sequence[SearchResult]], limit: int) -> list[SearchResult]:
    """The best of several queries' results; of those of one file and range the best alone."""
    best: dict[tuple[str, int | None, int | None], SearchResult] = {}
    for result in (result for results in found for result in results):
        key = (result.file, result.start_line, result.end_line)
        if key not in best or result.score > best[key].score:
            best[key] = result
    return sorted(best.values(), key=lambda result: -result.score)[:limit]
