"""Searches and status of a project in its index; logged as spans."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from aeterna_code_search.client.target.kept_service import KeptService
from aeterna_code_search.integrations.chunkhound.database_index import DatabaseIndex
from aeterna_code_search.integrations.chunkhound.embedding import embed_queries
from aeterna_code_search.integrations.chunkhound.errors import NotIndexedError
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

    def results(index: Index) -> Sequence[SearchResult]:
        (found,) = index.search(request)
        return found

    return _searched(environ, request, results, "code.search", query=request.queries[0])


def search_batch(environ: Mapping[str, str], request: SearchRequest) -> SearchAnswer:
    """Return the merged results of several queries. Raises CodeSearchError."""
    return _searched(
        environ,
        request,
        lambda index: merge_results(index.search(request), request.limit),
        "code.search_batch",
        query="|".join(request.queries),
        queryCount=len(request.queries),
    )


def _searched(
    environ: Mapping[str, str],
    request: SearchRequest,
    results_of: Callable[[Index], Sequence[SearchResult]],
    span: str,
    **asked: str | int,
) -> SearchAnswer:
    """Search, and log a line of JSON with the same values as attributes of the record."""
    with opened_index(environ, request.target) as index:
        results = tuple(results_of(index))
    answer = SearchAnswer(
        queries=request.queries,
        project=str(request.target.root),
        backend=index.backend,
        database=index.location,
        count=len(results),
        results=results,
    )
    counts = {"resultCount": answer.count, "backend": str(answer.backend)}
    fields = {"span": span, **asked, "project": answer.project, **counts}
    _log.info("%s", json.dumps(fields), extra=fields)
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
        yield DatabaseIndex(target, lambda queries: embed_queries(queries, environ))
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
