"""The indexed codebase of a directory, as tool and retriever search it. Opened when first asked."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.output.receipt import missing_note
from indexer.client.responses import malformed_answer
from indexer.config.settings import read_environment
from indexer.errors import CentralRefusedError, ConfigurationError, IndexerError
from integrations.langchain.similarity import least_cosine
from integrations.service_index import ServiceIndex


class NoIndexError(IndexerError):
    """The codebase is not indexed; the message says where an index was looked for."""


class IncompleteSearchError(IndexerError):
    """Nothing was found, and not everything was searched in its newest state."""

    def __init__(self, incomplete: str) -> None:
        super().__init__(f"Nothing was found. {incomplete}")


@dataclass(frozen=True, slots=True)
class Found:
    """Results of the API, the most relevant first.

    `incomplete` says what they may lack; "" where nothing is missing.
    """

    results: Sequence[Mapping[str, Any]]
    incomplete: str


@dataclass(frozen=True, slots=True)
class IndexSize:
    """What of the codebase is indexed."""

    exists: bool
    chunks: int


class Codebase:
    """The project of the checkout that holds `directory`, or `projects` of its service.

    `projects`: None for the checkout's own; empty, or outside of a checkout, for everything that
    the credential sees. The environment says which service (README, "Settings"); it is read at
    the first question. Safe to share between threads. Methods raise IndexerError.
    """

    def __init__(
        self, directory: str | Path | None = None, projects: Sequence[str] | None = None
    ) -> None:
        self._directory = Path(directory or ".").expanduser().absolute()
        if not self._directory.is_dir():
            raise ConfigurationError(f"{self._directory} is no directory: name one that is indexed")
        names = (projects,) if isinstance(projects, str) else projects
        self._projects = None if names is None else tuple(names)
        self._lock = threading.Lock()
        self._index: ServiceIndex | None = None

    @property
    def location(self) -> str:
        """Address of the service, or its data directory."""
        return (self._index or ServiceIndex(read_environment(), self._directory)).location

    def require_index(self) -> None:
        """Raise NoIndexError if there is no service to ask; none is started or asked."""
        self._service()

    def search(
        self, query: str, *, limit: int, max_characters: int, threshold: float = 0.0
    ) -> Found:
        """At most `limit` results by words and meaning, cut at `max_characters` of code each.

        All are as similar as `threshold` (of `similarity_of`). Raises NoIndexError, and
        IncompleteSearchError where nothing was found and something was not searched.
        """
        index = self._service()
        projects = self._scope(index)
        body = {
            "query": query,
            "limit": limit,
            "max_content": max_characters,
            "include_projects": projects,
            "min_similarity": least_cosine(threshold),
        }
        answer = index.search({name: value for name, value in body.items() if value})
        with malformed_answer(answer):
            receipt, results = answer["receipt"], answer["results"]
            incomplete = missing_note(receipt["missing"])
            if not receipt["projects"]:
                raise self._no_index(index, incomplete)
        if incomplete and not results:
            raise IncompleteSearchError(incomplete)
        return Found(results, incomplete)

    def size(self) -> IndexSize:
        """Count what is indexed of the codebase."""
        try:
            index = self._service()
        except NoIndexError:
            return IndexSize(exists=False, chunks=0)
        projects = self._scope(index)
        try:
            answer = index.status(projects[0] if len(projects) == 1 else None)
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
        """Let go of the service; it is opened again when something is asked."""
        with self._lock:
            index, self._index = self._index, None
        if index:
            index.close()

    def _service(self) -> ServiceIndex:
        with self._lock:
            if self._index is None:
                index = ServiceIndex(read_environment(), self._directory)
                if not index.may_hold_something():
                    raise self._no_index(index)
                self._index = index
            return self._index

    def _scope(self, index: ServiceIndex) -> list[str]:
        if self._projects is not None:
            return list(self._projects)
        return [name for name in (index.project(),) if name]

    def _no_index(self, index: ServiceIndex, note: str = "") -> NoIndexError:
        advice = f"Index your codebase first using `codesearch index` in {self._directory}."
        return NoIndexError(f"No index found at {index.location}. {advice} {note}".strip())
