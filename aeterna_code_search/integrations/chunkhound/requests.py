"""Validation of the tools' parameters, and the request that they form."""

from typing import Final

from aeterna_code_search.integrations.chunkhound.errors import InvalidRequestError
from aeterna_code_search.integrations.chunkhound.records import (
    ChunkType,
    Filters,
    SearchRequest,
    Target,
)
from indexer.limits import QUERY_CHARACTERS
from indexer.records.files import LABEL_CHARACTERS

CHUNKHOUND_QUERIES: Final = 20  # of a batch
CHUNKHOUND_BATCH_CHARACTERS: Final = 20_000  # so that one request embeds them all
CHUNKHOUND_RESULTS: Final = 100
CHUNKHOUND_EXPANSION: Final = 100
CHUNKHOUND_EXCLUDE_CHARACTERS: Final = 1_000
DEFAULT_LIMIT: Final = 10


def one_query(query: str) -> tuple[str, ...]:
    """Validate the query of `code.search`. Raises InvalidRequestError."""
    _check_text("query", query)
    stripped = query.strip()
    if not stripped:
        raise InvalidRequestError("query must not be empty: write what to search for")
    _check_length("query", stripped, QUERY_CHARACTERS)
    return (stripped,)


def split_queries(queries: str) -> tuple[str, ...]:
    """Split the queries of `code.search_batch` at `|`, without duplicates.

    Raises InvalidRequestError.
    """
    _check_text("queries", queries)
    _check_length("queries", queries, CHUNKHOUND_BATCH_CHARACTERS)
    parts = tuple(dict.fromkeys(part.strip() for part in queries.split("|") if part.strip()))
    if not parts:
        raise InvalidRequestError(
            'queries must name at least one query, such as "auth logic|token validation"'
        )
    if len(parts) > CHUNKHOUND_QUERIES:
        raise InvalidRequestError(f"queries must be at most {CHUNKHOUND_QUERIES}")
    for query in parts:
        _check_length("a query", query, QUERY_CHARACTERS)
    return parts


def make_request(
    target: Target,
    queries: tuple[str, ...],
    *,
    limit: int | None = None,
    language: str | None = None,
    chunk_type: str | None = None,
    exclude: str | None = None,
    expand: int | None = None,
) -> SearchRequest:
    """Validate the parameters; None and "" mean that one is omitted.

    Raises InvalidRequestError.
    """
    limit = DEFAULT_LIMIT if limit is None else limit
    _check_number("limit", limit, 1, CHUNKHOUND_RESULTS)
    _check_number("expand", expand or 0, 0, CHUNKHOUND_EXPANSION)
    for name, value in (("language", language), ("chunk_type", chunk_type), ("exclude", exclude)):
        if value is not None:
            _check_text(name, value)
    language, exclude = (language or "").strip(), exclude or ""
    _check_length("language", language, LABEL_CHARACTERS)
    _check_length("exclude", exclude, CHUNKHOUND_EXCLUDE_CHARACTERS)
    parts = (part.strip().lower() for part in exclude.split("|"))
    filters = Filters(
        language=language,
        chunk_type=_chunk_type(chunk_type or ""),
        excluded=tuple(dict.fromkeys(filter(None, parts))),
    )
    return SearchRequest(target, queries, limit=limit, expand=expand or 0, filters=filters)


def _chunk_type(text: str) -> ChunkType | None:
    try:
        return ChunkType(text.strip().lower()) if text.strip() else None
    except ValueError as exc:
        raise InvalidRequestError(f"chunk_type must be one of: {', '.join(ChunkType)}") from exc


def _check_number(name: str, value: int, minimum: int, maximum: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise InvalidRequestError(f"{name} must be a whole number from {minimum} to {maximum}")


def _check_text(name: str, value: object) -> None:
    """Raise InvalidRequestError unless the value is a string that UTF-8 can encode."""
    try:
        if isinstance(value, str) and value.encode() is not None:
            return
    except UnicodeEncodeError:
        pass
    raise InvalidRequestError(f"{name} must be UTF-8 text")


def _check_length(name: str, text: str, maximum: int) -> None:
    if len(text) > maximum:
        raise InvalidRequestError(f"{name} must have at most {maximum:,} characters")
