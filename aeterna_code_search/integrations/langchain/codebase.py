"""The indexed codebase of a directory, for tool and retriever; opened at its first use."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from pathlib import Path
from typing import Any, Final

from aeterna_code_search.client.receipt import missing_note
from aeterna_code_search.client.target.kept_service import KeptService
from indexer.client.responses import malformed_answer
from indexer.config.settings import read_environment
from indexer.errors import CentralRefusedError, ConfigurationError, IndexerError

_ROUNDED: Final = 0.0001  # the service rounds cosines to four digits


class NoIndexError(IndexerError):
    """The codebase is not indexed; the message names the location that was checked."""


class IncompleteSearchError(IndexerError):
    """A search without results whose projects were not all searched in their newest state."""

    def __init__(self, incomplete: str) -> None:
        super().__init__(f"Nothing was found. {incomplete}")


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Results of the API, the most relevant first.

    `incomplete` names projects that may have missing results; "" without any.
    """

    results: Sequence[Mapping[str, Any]]
    incomplete: str


@dataclass(frozen=True, slots=True)
class IndexSize:
    """The size of the codebase's index."""

    exists: bool
    chunks: int


class Codebase:
    """The project of the checkout that contains `directory`, or `projects` of its service.

    `projects`: None for the checkout's own; empty, or outside of a checkout, for all visible
    projects. The environment names the service (README, "Settings"); it is read at the first
    request. Safe to share between threads. Methods raise IndexerError.
    """

    def __init__(
        self, directory: str | Path | None = None, projects: Sequence[str] | None = None
    ) -> None:
        self._directory = Path(directory or ".").expanduser().absolute()
        if not self._directory.is_dir():
            raise ConfigurationError(f"{self._directory} is not a directory: name an indexed one")
        names = (projects,) if isinstance(projects, str) else projects
        self._projects = None if names is None else tuple(names)
        self._lock = threading.Lock()
        self._index: KeptService | None = None

    @property
    def location(self) -> str:
        """URL of the service, or its data directory."""
        return (self._index or KeptService(read_environment(), self._directory)).location

    def require_index(self) -> None:
        """Raise NoIndexError if there is no service; none is started."""
        self._service()

    def search(
        self, query: str, *, limit: int, max_characters: int, threshold: float = 0.0
    ) -> SearchOutcome:
        """Return at most `limit` results by words and meaning, with at most `max_characters` each.

        Their similarity (`similarity_of`) is at least `threshold`. Raises NoIndexError, and
        IncompleteSearchError if there are no results and a project was not searched.
        """
        index = self._service()
        projects = self._scope(index)
        body = {
            "query": query,
            "limit": limit,
            "max_content": max_characters,
            "include_projects": projects,
            "min_similarity": min_cosine(threshold),
        }
        asked = {name: value for name, value in body.items() if value}
        answer = index.request(lambda opened: opened.api.search(asked))
        with malformed_answer(answer):
            receipt, results = answer["receipt"], answer["results"]
            incomplete = missing_note(receipt["missing"])
            if not receipt["projects"]:
                raise self._no_index(index, incomplete)
        if incomplete and not results:
            raise IncompleteSearchError(incomplete)
        return SearchOutcome(results, incomplete)

    def size(self) -> IndexSize:
        """Return the size of the codebase's index."""
        try:
            index = self._service()
        except NoIndexError:
            return IndexSize(exists=False, chunks=0)
        projects = self._scope(index)
        try:
            project = projects[0] if len(projects) == 1 else None
            answer = index.request(lambda opened: opened.api.status(project))
        except CentralRefusedError as exc:
            if exc.code == "repository_not_found":
                return IndexSize(exists=False, chunks=0)
            raise
        with malformed_answer(answer):
            rows = [
                row
                for row in answer["projects"]
                if row["last_indexed_commit"] and (not projects or row["project"] in projects)
            ]
            return IndexSize(exists=bool(rows), chunks=sum(row["chunks"] for row in rows))

    def close(self) -> None:
        """Close the service; the next request opens it again."""
        with self._lock:
            index, self._index = self._index, None
        if index:
            index.close()

    def _service(self) -> KeptService:
        with self._lock:
            if self._index is None:
                index = KeptService(read_environment(), self._directory)
                if not index.may_hold_something():
                    raise self._no_index(index)
                self._index = index
            return self._index

    def _scope(self, index: KeptService) -> list[str]:
        if self._projects is not None:
            return list(self._projects)
        with index.used() as opened:
            return [opened.target.project] if opened.target.project else []

    def _no_index(self, index: KeptService, note: str = "") -> NoIndexError:
        advice = f"Index your codebase first using `codesearch index` in {self._directory}."
        return NoIndexError(f"No index found at {index.location}. {advice} {note}".strip())


def similarity_of(cosine: float) -> float:
    """Return 0.243 (unrelated) to 1.0 (same direction) for a cosine of 0.0 to 1.0."""
    return exp(-sqrt(max(0.0, 2.0 - 2.0 * cosine)))


def min_cosine(threshold: float) -> float | None:
    """Return the smallest cosine whose similarity reaches `threshold`; None if all do."""
    if threshold <= similarity_of(0.0):
        return None
    return max(0.0, 1.0 - log(threshold) ** 2 / 2.0 - _ROUNDED)
