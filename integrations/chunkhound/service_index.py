"""Our own index as the other index of a project: semantic search, with the service's embedder."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from indexer.errors import CentralRefusedError, IndexerError
from indexer.limits import (
    CHUNKHOUND_CONTENT_CHARACTERS,
    CHUNKHOUND_EXPANDED_CHARACTERS,
    RESULTS,
)
from integrations.chunkhound.doc_comments import doc_comment
from integrations.chunkhound.errors import NotIndexedError, ServiceFailedError
from integrations.chunkhound.records import (
    Backend,
    ChunkType,
    Filters,
    IndexStatus,
    SearchRequest,
    SearchResult,
    Target,
)
from integrations.service_index import ServiceIndex

_Answer = TypeVar("_Answer")
_WHOLE_CHUNK: Final = 100_000  # characters; the most that the service gives
_NOT_INDEXED: Final = {"never_indexed", "unknown_project"}


class OwnIndex:
    """The index that `service` has of the project at the target's root.

    `expand` shows lines of the commit that is indexed, which are those that the result names.
    """

    backend = Backend.AETERNA

    def __init__(self, target: Target, service: ServiceIndex) -> None:
        self._target = target
        self._service = service

    @property
    def location(self) -> str:
        """Address or data directory of the service."""
        return self._service.location

    def search(self, request: SearchRequest) -> list[list[SearchResult]]:
        """For each query its best chunks. Raises CodeSearchError."""
        project, folder = self._ask(self._place)
        if request.filters.chunk_type is ChunkType.COMMENT:
            return [self._comments(request, query, project, folder) for query in request.queries]
        return [
            [
                _result(row, query, folder, request.expand)
                for row in islice(self._rows(request, query, project, folder), request.limit)
            ]
            for query in request.queries
        ]

    def status(self) -> IndexStatus:
        """Counts of the repository; a directory of it has no counts of its own."""
        project, _ = self._ask(self._place)
        answer = self._ask(lambda: self._service.status(project))
        rows = [row for row in answer["projects"] if row["project"] == project]
        if not rows or not rows[0]["last_indexed_commit"]:
            raise self._not_indexed()
        (row,) = rows
        return IndexStatus(
            project=str(self._target.root),
            backend=self.backend,
            database=self.location,
            files=row["files"],
            chunks=row["chunks"],
            embeddings=None,
            languages=dict(sorted(row["languages"].items(), key=lambda item: (-item[1], item[0]))),
        )

    def _comments(
        self, request: SearchRequest, query: str, project: str, folder: str
    ) -> list[SearchResult]:
        """Comments that are chunks, and those that document a chunk, with that chunk's score."""
        plain = replace(request, filters=replace(request.filters, chunk_type=None))
        rows = self._rows(plain, query, project, folder, max_content=_WHOLE_CHUNK)
        comments = (_comment_of(row, query, folder, request.expand) for row in rows)
        return list(islice(filter(None, comments), request.limit))

    def _rows(
        self,
        request: SearchRequest,
        query: str,
        project: str,
        folder: str,
        *,
        max_content: int | None = None,
    ) -> Iterator[Mapping[str, Any]]:
        """Results as the service gives them, page after page."""
        body = _body(request, query, project, folder)
        if max_content is not None:
            body |= {"max_content": max_content, "limit": RESULTS}
        while True:
            answer = self._ask(partial(self._service.search, body))
            self._check_receipt(answer, project)
            for row in answer["results"]:
                if not _is_excluded(row["file"].removeprefix(folder), request.filters):
                    yield row
            if not answer["next_cursor"]:
                return
            body |= {"cursor": answer["next_cursor"]}

    def _check_receipt(self, answer: Mapping[str, Any], project: str) -> None:
        if answer["results"]:
            return
        reasons = {row["project"]: row["reason"] for row in answer["receipt"]["missing"]}
        if reasons.get(project) in _NOT_INDEXED:
            raise self._not_indexed()
        if reasons.get(project) == "embedder_unavailable":
            raise ServiceFailedError(
                f"The service at {self.location} cannot embed queries now: its embedding service "
                "is unavailable. Try again later."
            )

    def _place(self) -> tuple[str, str]:
        """The project's name, and the directory of it that is asked for, as a path's beginning."""
        project, top = self._service.project(), self._service.root()
        if not project or top is None:
            raise self._not_indexed()
        folder = self._target.root.resolve().relative_to(top.resolve()).as_posix()
        return project, "" if folder == "." else f"{folder}/"

    def _not_indexed(self) -> NotIndexedError:
        return NotIndexedError(self._target.root, self._target.database)

    def _ask(self, ask: Callable[[], _Answer]) -> _Answer:
        try:
            return ask()
        except CentralRefusedError as exc:
            if exc.code == "repository_not_found":
                raise self._not_indexed() from exc
            raise _failed(exc, self.location) from exc
        except IndexerError as exc:
            raise _failed(exc, self.location) from exc


def has_index(service: ServiceIndex, root: Path) -> bool:
    """Whether there is a service to ask about `root`; none is started for it.

    Raises ServiceFailedError where a setting is wrong.
    """
    try:
        return root.is_dir() and service.may_hold_something()
    except IndexerError as exc:
        raise _failed(exc, "") from exc


def _failed(error: IndexerError, location: str) -> ServiceFailedError:
    where = f" at {location}" if location else ""
    return ServiceFailedError(f"The index{where} cannot be asked: {error}")


def _body(request: SearchRequest, query: str, project: str, folder: str) -> dict[str, Any]:
    filters = request.filters
    body = {
        "query": query,
        "mode": "semantic",
        "limit": min(request.limit, RESULTS),
        "include_projects": [project],
        "language": filters.language.lower(),
        "chunk_type": str(filters.chunk_type or ""),
        "path": folder,
        "exclude": "" if folder else "|".join(filters.excluded),  # of paths as they are answered
        "expand": request.expand,
        "max_content": _characters(request.expand),
    }
    return {name: value for name, value in body.items() if value}


def _is_excluded(path: str, filters: Filters) -> bool:
    return any(part in path.lower() for part in filters.excluded)


def _characters(expand: int) -> int:
    return CHUNKHOUND_EXPANDED_CHARACTERS if expand else CHUNKHOUND_CONTENT_CHARACTERS


def _result(row: Mapping[str, Any], query: str, folder: str, expand: int) -> SearchResult:
    start, content = row["content_start_line"], row["content"]
    lines = content.removesuffix("\n").count("\n")
    return SearchResult(
        file=row["file"].removeprefix(folder),
        name=row["name"],
        chunk_type=row["chunk_type"],
        language=row["language"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        score=round(row["similarity"] or 0.0, 4),
        content=content,
        content_start_line=start,
        content_end_line=start + lines if expand and not row["truncated"] else row["end_line"],
        truncated=row["truncated"],
        matched_query=query,
    )


def _comment_of(
    row: Mapping[str, Any], query: str, folder: str, expand: int
) -> SearchResult | None:
    """The comment of a chunk that the service gave as a whole; None if it has none."""
    offset = row["start_line"] - row["content_start_line"]
    lines = row["content"].split("\n")
    code = "\n".join(lines[offset : offset + row["end_line"] - row["start_line"] + 1])
    result = _result(row, query, folder, expand)
    if row["chunk_type"] == ChunkType.COMMENT:
        first, last = row["start_line"], row["end_line"]
    elif found := doc_comment(row["language"], code):
        first, last = (row["start_line"] + number - 1 for number in found)
    else:
        return None
    begin = max(row["content_start_line"], first - expand)
    text = lines[begin - row["content_start_line"] : last + expand - row["content_start_line"] + 1]
    content = "\n".join(text)
    characters = _characters(expand)
    return replace(
        result,
        chunk_type=str(ChunkType.COMMENT),
        start_line=first,
        end_line=last,
        content=content[:characters],
        content_start_line=begin,
        content_end_line=begin + len(text) - 1,
        truncated=len(content) > characters,
    )
