"""`code.search`, `code.search_batch` and `code.status`, as OneTool's pack `code` has them.

from aeterna_code_search.integrations.chunkhound import code
code.search(query="authentication logic")

Each returns text, also for errors. `integrations.chunkhound.search` returns records.
"""

from collections.abc import Callable
from pathlib import Path

from aeterna_code_search.integrations.chunkhound.errors import CodeSearchError, InvalidRequestError
from aeterna_code_search.integrations.chunkhound.records import Target
from aeterna_code_search.integrations.chunkhound.requests import (
    DEFAULT_LIMIT,
    make_request,
    one_query,
    split_queries,
)
from aeterna_code_search.integrations.chunkhound.search import index_status, search_code
from aeterna_code_search.integrations.chunkhound.search import search_batch as search_queries
from aeterna_code_search.integrations.chunkhound.targets import resolve_target
from aeterna_code_search.integrations.chunkhound.text import batch_text, search_text, status_text
from indexer.config.settings import read_environment

__all__ = ["search", "search_batch", "status"]


def search(
    query: str,
    path: str | None = None,
    db: str | None = None,
    limit: int = DEFAULT_LIMIT,
    language: str | None = None,
    chunk_type: str | None = None,
    exclude: str | None = None,
    expand: int | None = None,
) -> str:
    """Search a project's code by meaning.

    `path`: the project (default: OT_CWD, else the current directory). `db`: ChunkHound's database,
    relative to the project. `chunk_type`: function, class, method or comment. `exclude`: parts of
    paths, separated by `|`, in any case. `expand`: lines of the source file to show before and
    after each result.
    """

    def answer() -> str:
        request = make_request(
            _target(path, db),
            one_query(query),
            limit=limit,
            language=language,
            chunk_type=chunk_type,
            exclude=exclude,
            expand=expand,
        )
        return search_text(search_code(read_environment(), request))

    return _text(answer)


def search_batch(
    queries: str,
    path: str | None = None,
    db: str | None = None,
    limit: int = DEFAULT_LIMIT,
    language: str | None = None,
    chunk_type: str | None = None,
    exclude: str | None = None,
    expand: int | None = None,
) -> str:
    """Search for several queries, separated by `|`, and merge their best results.

    One request embeds them. `limit` applies to the merged answer. Parameters are those of `search`.
    """

    def answer() -> str:
        request = make_request(
            _target(path, db),
            split_queries(queries),
            limit=limit,
            language=language,
            chunk_type=chunk_type,
            exclude=exclude,
            expand=expand,
        )
        return batch_text(search_queries(read_environment(), request))

    return _text(answer)


def status(path: str | None = None, db: str | None = None) -> str:
    """Return the size of a project's index, or how to index it."""
    return _text(lambda: status_text(index_status(read_environment(), _target(path, db))))


def _target(path: str | None, db: str | None) -> Target:
    try:
        directory = Path.cwd()
    except FileNotFoundError as exc:
        raise InvalidRequestError(
            "The current directory does not exist any more: change to another one"
        ) from exc
    return resolve_target(read_environment(), directory, path=path, db=db)


def _text(answer: Callable[[], str]) -> str:
    try:
        return answer()
    except CodeSearchError as error:
        return error.text
