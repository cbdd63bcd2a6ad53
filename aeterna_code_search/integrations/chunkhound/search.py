"""Searches and status of a project in its index; logged as spans."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from aeterna_code_search.client.target.kept_service import KeptService
from aeterna_code_search.integrations.chunkhound.database_index import DatabaseIndex
from aeterna_code_search.integrations.chunkhound.embedding import embed_queries
from aeterna_code_search.integrations.chunkhound.errors import NotIndexedError
from aeterna_code_search.integrations.chunkhound.keys import embedding_access
from aeterna_code_search.integrations.chunkhound.records import (
    Index,
    IndexStatus,
    SearchAnswer,
    SearchRequest,
    SearchResult,
    Target,
    merge_results,
)
from aeterna_code_search.integrations.chunkhound.service_index import OwnIndex, has_index
from aeterna_code_search.integrations.chunkhound.targets import exists

_log = logging.getLogger("integrations.chunkhound")


def search_code(environ: Mapping[str, str], request: SearchRequest) -> SearchAnswer:
    """Return the best results of one query. Raises CodeSearchError."""
    with opened_index(environ, request.target) as index:
        (results,) = index.search(request)
    answer = _answer(index, request, results)
    _log_span(
        "code.search",
        query=request.queries[0],
        project=answer.project,
        resultCount=answer.count,
        backend=str(answer.backend),
    )
    return answer


def search_batch(environ: Mapping[str, str], request: SearchRequest) -> SearchAnswer:
    """Return the merged results of several queries. Raises CodeSearchError."""
    with opened_index(environ, request.target) as index:
        results = merge_results(index.search(request), request.limit)
    answer = _answer(index, request, results)
    _log_span(
        "code.search_batch",
        query="|".join(request.queries),
        queryCount=len(request.queries),
        project=answer.project,
        resultCount=answer.count,
        backend=str(answer.backend),
    )
    return answer


def index_status(environ: Mapping[str, str], target: Target) -> IndexStatus:
    """Return the size of the project's index. Raises CodeSearchError."""
    with opened_index(environ, target) as index:
        return index.status()


@contextmanager
def opened_index(environ: Mapping[str, str], target: Target) -> Iterator[Index]:
    """Open ChunkHound's database, or this service's index if there is none and none was named.

    Raises CodeSearchError.
    """
    if target.is_explicit or exists(target.database):
        yield DatabaseIndex(
            target, lambda queries: embed_queries(queries, embedding_access(environ))
        )
        return
    service = _service(frozenset(environ.items()), target.root)
    if not has_index(service, target.root):
        raise NotIndexedError(target.root, target.database)
    yield OwnIndex(target, service)


@lru_cache(maxsize=1)
def _service(environ: frozenset[tuple[str, str]], directory: Path) -> KeptService:
    """Return a service index; the last one stays open, because a local service starts slowly.

    A replaced one closes by itself, and the last one at exit.
    """
    return KeptService(dict(environ), directory)


def _answer(index: Index, request: SearchRequest, results: Sequence[SearchResult]) -> SearchAnswer:
    return SearchAnswer(
        queries=request.queries,
        project=str(request.target.root),
        backend=index.backend,
        database=index.location,
        count=len(results),
        results=tuple(results),
    )


def _log_span(name: str, **values: str | int) -> None:
    """Log a line of JSON, with the same values as attributes of the record."""
    fields = {"span": name, **values}
    _log.info("%s", json.dumps(fields), extra=fields)
