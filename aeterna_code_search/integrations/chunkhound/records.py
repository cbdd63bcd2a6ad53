"""Requests to and answers of an index of code; the same for both kinds of index."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

CHUNKHOUND_CONTENT_CHARACTERS: Final = 500
CHUNKHOUND_EXPANDED_CHARACTERS: Final = 20_000


class Backend(StrEnum):
    """The kind of index that answered."""

    CHUNKHOUND = "chunkhound"
    AETERNA = "aeterna"


class ChunkType(StrEnum):
    """The types of chunks that a filter accepts; an index has further types."""

    FUNCTION = "function"
    CLASS = "class"
    METHOD = "method"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Target:
    """A project and its database.

    `root` is absolute; `is_explicit`: the caller named the database, so no other index is used.
    """

    root: Path
    database: Path
    is_explicit: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of results; `excluded` are parts of paths in lower case."""

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
    """A chunk. Lines are 1-based and inclusive; None if the index does not have them.

    `file` is relative to the project's root. `score` is the cosine of query and chunk. `content`
    has the lines `content_start_line` to `content_end_line`, and is cut if `truncated`.
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
    """The size of an index. `embeddings` None: unknown. `languages`: files by language."""

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
        """The database file, or the location of the service."""
        ...

    def search(self, request: SearchRequest) -> list[list[SearchResult]]:
        """Return at most `limit` results for each query, best first."""
        ...

    def status(self) -> IndexStatus:
        """Return the size of the index."""
        ...


def merge_results(ranked: Sequence[Sequence[SearchResult]], limit: int) -> list[SearchResult]:
    """Merge results of several queries; keep the best one of each file and range."""
    best: dict[tuple[str, int | None, int | None], SearchResult] = {}
    for result in (result for results in ranked for result in results):
        key = (result.file, result.start_line, result.end_line)
        if key not in best or result.score > best[key].score:
            best[key] = result
    return sorted(best.values(), key=lambda result: -result.score)[:limit]
