"""What a request's query text searches for, by the query language, and in which way."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeGuard

from aeterna_code_search.contract.search import Mode, SearchRequest
from central.corpus.branches.chosen import NOTHING_CHOSEN, Chosen
from central.errors import InvalidError
from central.query.errors import QueryError
from central.query.filters import COMMIT_TYPES, FilterName, Match
from central.query.languages import check_languages, language_name, unknown_language
from central.query.modes import TEXT_MODES, parse_as
from central.query.parser import parse
from central.query.refs import ref_patterns
from central.query.syntax import (
    And,
    Filter,
    Literal,
    Node,
    Not,
    Or,
    Query,
    Word,
    conjunction,
    conjuncts,
    leaves,
)
from central.search.commit_question import (
    DIFF,
    CommitQuestion,
    commit_question,
    is_commit_filter,
    words_as_texts,
)
from indexer.records.languages import LANGUAGES

INSTEAD_RESULTS: Final = 5  # by words, if a quoted text stands nowhere
_FILE, _SYMBOL = "file", "symbol"


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request with its query read.

    `request` has only the words as its queries, and the mode that the query asks for. `query` is
    what results must fulfil, without `type:`. `is_exact`: the answer is lines, not chunks;
    `lists_files`: it is files without lines; `within`: lines of a type of chunks, or with
    `symbol` those on which definitions begin. `is_secret`: no embedding service gets to know the
    words. `commits`: it is of commits, not of files. `refs`: names and patterns of the branches to
    search, and `chosen`, once they are looked up, what they mean.
    """

    request: SearchRequest
    query: Query
    is_exact: bool = False
    lists_files: bool = False
    within: str = ""
    is_secret: bool = False
    commits: CommitQuestion | None = None
    refs: tuple[str, ...] = ()
    chosen: Chosen = NOTHING_CHOSEN


def read_request(request: SearchRequest) -> ReadRequest:
    """Read the query language in a request. Raises QueryError with the column."""
    for text in request.queries:
        check_characters(text)
    request = replace(request, language=_known_language(request.language))
    if request.mode in TEXT_MODES:
        queries = [_checked(parse_as(_only_query(request), request.mode))]
    else:
        queries = [_checked(parse(text)) for text in request.queries]
    refs, queries = _without_refs(request, queries)
    return replace(_read(request, queries, refs), refs=refs)


def _read(request: SearchRequest, queries: list[Query], refs: tuple[str, ...]) -> ReadRequest:
    if len(queries) > 1:
        return _several(request, queries)
    query, kind = _without_type(queries[0])
    if kind in COMMIT_TYPES:
        check_default_branch(refs, f"type:{kind} searches")
        return _of_commits(request, query, kind)
    if request.mode in TEXT_MODES:
        return _exact(request, query, kind)
    _check_one_type(request, kind)
    if kind == _FILE:
        words = [Filter(FilterName.FILE, word, Match.SUBSTRING) for word in query.words.split()]
        listed = conjunction(term for term in (query.predicate, *words) if term is not None)
        return _exact(request, Query(listed, query.case), kind)
    if query.is_exact or query.filters_only or ((kind or refs) and not query.words):
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


def check_default_branch(refs: tuple[str, ...], what: str) -> None:
    """Raise InvalidError (`branch_not_supported`) if branches are asked for."""
    if refs:
        raise InvalidError(
            f"{what} the default branch only. Leave rev: and the field ref out.",
            code="branch_not_supported",
        )


def _of_commits(request: SearchRequest, query: Query, kind: str) -> ReadRequest:
    """Read what is asked of commits; the words of `type:diff` are texts that all must occur."""
    _check_one_type(request, kind)
    question, query = commit_question(kind, query, now=time.time())
    if request.mode in {Mode.SYMBOL, Mode.STRUCTURAL}:
        message = f"The mode {request.mode} is of files. Leave it out with type:{kind}."
        raise InvalidError(message, errors={"mode": [message]})
    if kind == DIFF:
        query = words_as_texts(query)
    words = (query.words,) if query.words else request.queries
    return ReadRequest(
        replace(request, queries=words),
        query,
        is_exact=not query.words,
        commits=question,
    )


class Unquoted(NamedTuple):
    """A request by the words of what it quotes; `message` has the quotes, in the text's order."""

    read: ReadRequest
    message: str


def without_quotes(read: ReadRequest) -> Unquoted | None:
    """Return a request with the words of its quoted texts, and its filters; None without any.

    What is quoted may be a secret that is looked for. Patterns, and queries of one literal (the
    mode), have no words.
    """
    terms = conjuncts(read.query.root)
    quoted = [term for term in terms if not isinstance(term, Filter | Not)]
    if read.request.mode is not Mode.HYBRID or read.lists_files or read.within or read.commits:
        return None
    leaves_of = [text for term in quoted for text in _texts(term)]
    if not any(isinstance(leaf, Literal) for leaf in leaves_of):
        return None
    texts = [leaf.text for leaf in leaves_of]
    request = replace(
        read.request,
        queries=(" ".join(texts),),
        limit=min(read.request.limit, INSTEAD_RESULTS),
        cursor="",
    )
    message = " ".join(
        f'"{leaf.text}"' if isinstance(leaf, Literal) and len(texts) > 1 else leaf.text
        for leaf in leaves_of
    )
    filters = Query(conjunction(term for term in terms if term not in quoted), read.query.case)
    unquoted = ReadRequest(request, filters, is_secret=True, refs=read.refs, chosen=read.chosen)
    return Unquoted(unquoted, message)


def _texts(node: Node) -> Iterator[Word | Literal]:
    match node:
        case Word() | Literal():
            yield node
        case And(terms=terms) | Or(terms=terms):
            for term in terms:
                yield from _texts(term)


def check_characters(text: str) -> None:
    """Raise QueryError for what no file has: NUL, and halves of characters."""
    for at, character in enumerate(text):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            message = f"U+{ord(character):04X} stands in no file. Remove it."
            raise QueryError(message, column=at + 1)


def _exact(request: SearchRequest, query: Query, kind: str) -> ReadRequest:
    _check_one_type(request, kind)
    lists_files = kind == _FILE
    within = request.chunk_type or ("" if lists_files else kind)
    return ReadRequest(request, query, is_exact=True, lists_files=lists_files, within=within)


def _check_one_type(request: SearchRequest, kind: str) -> None:
    """Raise InvalidError if the query and the field `chunk_type` ask for different types."""
    if kind in {"", _FILE, request.chunk_type} or not request.chunk_type:
        return
    message = f"The query has type:{kind}, too. Give one type, in the query or in chunk_type."
    raise InvalidError(message, errors={"chunk_type": [message]})


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
    """Return a language's name in the index. Raises InvalidError for one that does not exist."""
    name = language_name(value)
    if name and name not in LANGUAGES:
        message = f"T{unknown_language(value, LANGUAGES)[1:]}"
        raise InvalidError(message, errors={"language": [message]})
    return name


def refs_of(request: SearchRequest) -> tuple[str, ...]:
    """Return the names and patterns of branches of the field `ref`. Raises InvalidError."""
    try:
        return ref_patterns(request.ref) if request.ref else ()
    except ValueError as exc:
        message = f"ref {exc}."
        raise InvalidError(message, errors={"ref": [message]}) from exc


def _without_refs(
    request: SearchRequest, queries: list[Query]
) -> tuple[tuple[str, ...], list[Query]]:
    """Return the branches that the field and the queries name, and the queries without `rev:`.

    Raises QueryError, and InvalidError if the field and a query name different ones.
    """
    refs = refs_of(request)
    found: list[tuple[str, ...]] = []
    rest: list[Query] = []
    for query in queries:
        own, without = _without_rev(query)
        rest.append(without)
        if own:
            found.append(own)
    if not found:
        return refs, rest
    if any(set(own) != set(refs or found[0]) for own in found):
        message = "The query has another rev:. Name the branches once: rev:main:release/1."
        raise InvalidError(message, errors={"ref": [message]})
    return found[0], rest


def _without_rev(query: Query) -> tuple[tuple[str, ...], Query]:
    terms = conjuncts(query.root)
    revs = [term for term in terms if _is_filter(term, FilterName.REV)]
    if hidden := next(_hidden(terms, FilterName.REV), None):
        raise QueryError(
            "`rev:` stands beside the other terms: not negated, and not in an OR. Put "
            "alternatives in parentheses: rev:main (a OR b).",
            column=hidden.column,
        )
    if not revs:
        return (), query
    if other := next((term for term in revs if term.value != revs[0].value), None):
        raise QueryError(
            f"several branches stand in one filter: rev:{revs[0].value}:{other.value}.",
            column=other.column,
        )
    kept = conjunction(term for term in terms if not _is_filter(term, FilterName.REV))
    return ref_patterns(revs[0].value), Query(kept, query.case)


def _hidden(terms: Sequence[Node], name: FilterName) -> Iterator[Filter]:
    """Yield the filters of a name that do not stand beside the other terms."""
    inside = (leaf for term in terms if not _is_filter(term, name) for leaf in leaves(term))
    return (leaf for leaf in inside if _is_filter(leaf, name))


def _without_type(query: Query) -> tuple[Query, str]:
    """Return the query without its `type:` filter, and the type; "" if it has none."""
    terms = conjuncts(query.root)
    types = [term for term in terms if _is_filter(term, FilterName.TYPE)]
    rest = conjunction(term for term in terms if not _is_filter(term, FilterName.TYPE))
    hidden = next(_hidden(terms, FilterName.TYPE), None)
    if hidden:
        raise QueryError(
            "`type:` stands beside the other terms: not negated, and not in an OR.",
            column=hidden.column,
        )
    other = next((term for term in types if term.value != types[0].value), None)
    if other:
        raise QueryError(
            f"type:{types[0].value} and type:{other.value} exclude each other. Write one type, "
            "or send a request for each.",
            column=other.column,
        )
    kind = types[0].value if types else ""
    of_commits = next((term for term in leaves(rest) if is_commit_filter(term)), None)
    if of_commits and kind not in COMMIT_TYPES:
        raise QueryError(
            f"{of_commits.name}: is a filter of commits. Add type:commit or type:diff.",
            column=of_commits.column,
        )
    return Query(rest, query.case), kind


def _is_filter(term: Node, name: FilterName) -> TypeGuard[Filter]:
    return isinstance(term, Filter) and term.name is name
