"""The service's index of a project: semantic search with the service's embedder."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from aeterna_code_search.client.target.kept_service import KeptService, OpenService
from aeterna_code_search.integrations.chunkhound.doc_comments import doc_comments
from aeterna_code_search.integrations.chunkhound.errors import (
    InvalidRequestError,
    NotIndexedError,
    ServiceFailedError,
)
from aeterna_code_search.integrations.chunkhound.records import (
    CHUNKHOUND_CONTENT_CHARACTERS,
    CHUNKHOUND_EXPANDED_CHARACTERS,
    Backend,
    ChunkType,
    IndexStatus,
    SearchRequest,
    SearchResult,
    Target,
)
from aeterna_code_search.integrations.chunkhound.targets import is_directory
from indexer.errors import CentralRefusedError, IndexerError
from indexer.limits import RESULTS

_Answer = TypeVar("_Answer")
_MAX_CONTENT: Final = 100_000  # characters; the service's maximum
_NOT_INDEXED: Final = {"never_indexed", "not_cloned", "unknown_project"}


class OwnIndex:
    """The index of the project at the target's root, in `service`.

    `expand` shows lines of the indexed commit, which match the line numbers of the result.
    """

    backend = Backend.AETERNA

    def __init__(self, target: Target, service: KeptService) -> None:
        self._target = target
        self._service = service

    @property
    def location(self) -> str:
        """URL or data directory of the service."""
        return self._service.location

    def search(self, request: SearchRequest) -> list[list[SearchResult]]:
        """Return the best chunks of each query. Raises CodeSearchError."""
        project, folder = self._request(self._project_and_folder)
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
        """Return the counts of the whole repository, also for a directory in it."""
        project, _ = self._request(self._project_and_folder)
        answer = self._request(lambda opened: opened.api.status(project))
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
        """Return comment chunks, and documentation comments within chunks with their scores."""
        unfiltered = replace(request, filters=replace(request.filters, chunk_type=None))
        rows = self._rows(unfiltered, query, project, folder, max_content=_MAX_CONTENT)
        comments = (
            comment
            for row in rows
            for comment in _doc_comment_results(row, query, folder, request.expand)
        )
        return list(islice(comments, request.limit))

    def _rows(
        self,
        request: SearchRequest,
        query: str,
        project: str,
        folder: str,
        *,
        max_content: int | None = None,
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the service's results, page by page."""
        body = _body(request, query, project, folder)
        if max_content is not None:
            body |= {"max_content": max_content, "limit": RESULTS}

        def page(opened: OpenService) -> dict[str, Any]:
            return opened.api.search(body)

        while True:
            answer = self._request(page)
            self._check_receipt(answer, project)
            for row in answer["results"]:
                path = row["file"].removeprefix(folder).lower()
                if not any(part in path for part in request.filters.excluded):
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
                f"The service at {self.location} cannot embed queries: its embedding service is "
                "unavailable. Try again later."
            )

    def _project_and_folder(self, opened: OpenService) -> tuple[str, str]:
        """Return the project's name, and the requested directory as a path prefix."""
        project, top = opened.target.project, opened.target.root
        if not project or top is None:
            raise self._not_indexed()
        folder = self._target.root.resolve().relative_to(top.resolve()).as_posix()
        return project, "" if folder == "." else f"{folder}/"

    def _not_indexed(self) -> NotIndexedError:
        return NotIndexedError(self._target.root, self._target.database)

    def _request(self, request: Callable[[OpenService], _Answer]) -> _Answer:
        try:
            return self._service.request(request)
        except CentralRefusedError as exc:
            if exc.code == "repository_not_found":
                raise self._not_indexed() from exc
            if exc.status == HTTPStatus.BAD_REQUEST:
                raise InvalidRequestError(str(exc.problem.get("detail") or exc)) from exc
            raise _failed(exc, self.location) from exc
        except IndexerError as exc:
            raise _failed(exc, self.location) from exc


def has_index(service: KeptService, root: Path) -> bool:
    """Whether there may be an index of `root`; no service is started.

    Raises ServiceFailedError if a setting is invalid.
    """
    try:
        return is_directory(root) and service.may_hold_something()
    except IndexerError as exc:
        raise _failed(exc, "") from exc


def _failed(error: IndexerError, location: str) -> ServiceFailedError:
    where = f" at {location}" if location else ""
    return ServiceFailedError(f"The index{where} is unavailable: {error}")


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
        "exclude": ""
        if folder
        else "|".join(filters.excluded),  # with a folder, paths are filtered later
        "expand": request.expand,
        "max_content": _characters(request.expand),
    }
    return {name: value for name, value in body.items() if value}


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


def _doc_comment_results(
    row: Mapping[str, Any], query: str, folder: str, expand: int
) -> Iterator[SearchResult]:
    """Yield the comments of a chunk with its whole content."""
    first_line = row["content_start_line"]
    start = max(row["start_line"], first_line)  # cut content may begin at the signature
    lines = row["content"].split("\n")
    result = _result(row, query, folder, expand)
    if row["chunk_type"] == ChunkType.COMMENT:
        yield _with_lines(result, lines, first_line, (start, row["end_line"]), expand)
        return
    code = "\n".join(lines[start - first_line : row["end_line"] - first_line + 1])
    for first, last, name in doc_comments(row["language"], code):
        named = replace(result, name=name or result.name, chunk_type=str(ChunkType.COMMENT))
        span = (start + first - 1, start + last - 1)
        yield _with_lines(named, lines, first_line, span, expand)


def _with_lines(
    result: SearchResult, lines: list[str], first_line: int, span: tuple[int, int], expand: int
) -> SearchResult:
    """Move the result to the lines of `span`; the first of `lines` is `first_line`."""
    first, last = span
    top = max(first_line, first - expand)
    shown = lines[top - first_line : last + expand - first_line + 1]
    content, characters = "\n".join(shown), _characters(expand)
    return replace(
        result,
        start_line=first,
        end_line=last,
        content=content[:characters],
        content_start_line=top,
        content_end_line=top + len(shown) - 1,
        truncated=len(content) > characters,
    )
