"""What a request's query text searches for, by the query language, and in which way."""

from dataclasses import dataclass, replace
from typing import Final, TypeGuard

from central.query.errors import QueryError
from central.query.filters import FilterName, Match
from central.query.languages import check_languages, language_name
from central.query.modes import TextMode, parse_as
from central.query.parser import parse
from central.query.syntax import And, Filter, Node, Query, conjunction, leaves
from central.search.query import Mode, SearchRequest
from indexer.records.languages import LANGUAGES

_TEXT_MODES: Final = {
    Mode.LITERAL: TextMode.LITERAL,
    Mode.REGEX: TextMode.REGEX,
    Mode.STRUCTURAL: TextMode.STRUCTURAL,
}
_FILE, _SYMBOL = "file", "symbol"


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request with its query read.

    `request` has only the words as its queries, and the mode that the query asks for. `query` is
    what results must fulfil, without `type:`. `is_exact`: the answer is lines, not chunks;
    `lists_files`: it is files without lines.
    """

    request: SearchRequest
    query: Query
    is_exact: bool = False
    lists_files: bool = False


def read_request(request: SearchRequest) -> ReadRequest:
    """Read the query language in a request. Raises QueryError with the column."""
    request = replace(request, language=_known_language(request.language))
    if request.mode in _TEXT_MODES:
        text = _only_query(request)
        query, kind = _without_type(_checked(parse_as(text, _TEXT_MODES[request.mode])))
        return _exact(request, query, kind)
    queries = [_checked(parse(text)) for text in request.queries]
    if len(queries) > 1:
        return _several(request, queries)
    query, kind = _without_type(queries[0])
    if kind == _FILE:
        words = [Filter(FilterName.FILE, word, Match.SUBSTRING) for word in query.words.split()]
        listed = conjunction(one for one in (query.predicate, *words) if one is not None)
        return _exact(request, Query(listed, query.case), kind)
    if query.is_exact or query.filters_only:
        return _exact(request, query, kind)
    mode = Mode.SYMBOL if kind == _SYMBOL else request.mode
    return ReadRequest(
        replace(
            request,
            queries=(query.words or request.queries[0],),
            mode=mode,
            chunk_type=request.chunk_type or ("" if kind == _SYMBOL else kind),
        ),
        query,
    )


def _exact(request: SearchRequest, query: Query, kind: str) -> ReadRequest:
    chunk_type = request.chunk_type or ("" if kind in {_FILE, _SYMBOL} else kind)
    return ReadRequest(
        replace(request, chunk_type=chunk_type), query, is_exact=True, lists_files=kind == _FILE
    )


def _several(request: SearchRequest, queries: list[Query]) -> ReadRequest:
    """Take the words of several queries, which have nothing to fulfil."""
    restricted = next((query for query in queries if query.predicate is not None), None)
    if restricted:
        term = restricted.terms[0]
        raise QueryError(
            "several queries at once have words only. Send a query with filters, quotes or "
            "patterns alone.",
            column=term.column,
        )
    texts = [query.words or text for query, text in zip(queries, request.queries, strict=True)]
    return ReadRequest(replace(request, queries=tuple(dict.fromkeys(texts))), Query())


def _only_query(request: SearchRequest) -> str:
    if len(request.queries) > 1:
        message = f"the mode {request.mode} takes one query. Send several requests."
        raise QueryError(message, column=1)
    return request.queries[0]


def _checked(query: Query) -> Query:
    check_languages(query, LANGUAGES)
    return query


def _known_language(value: str) -> str:
    """Return a language's name in the index. Raises QueryError for one that does not exist."""
    if not value:
        return ""
    name = language_name(value)
    _checked(Query(Filter(FilterName.LANG, name, Match.EXACT)))
    return name


def _without_type(query: Query) -> tuple[Query, str]:
    """Return the query without its `type:` filter, and the type; "" if it has none."""
    terms = query.root.terms if isinstance(query.root, And) else (query.root,)
    types = [term for term in terms if _is_type(term)]
    rest = conjunction(term for term in terms if not _is_type(term))
    others = [term for term in leaves(rest) if _is_type(term)] + types[1:]
    if others:
        raise QueryError(
            "`type:` stands once, beside the other terms: not negated, and not in an OR.",
            column=others[0].column,
        )
    return Query(rest, query.case), types[0].value if types else ""


def _is_type(term: Node) -> TypeGuard[Filter]:
    return isinstance(term, Filter) and term.name is FilterName.TYPE
