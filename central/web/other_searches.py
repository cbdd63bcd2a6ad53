"""Searches that may find what one did not: without a filter, in any case, as a pattern. Pure."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from aeterna_code_search.contract.search import Mode
from central.query.errors import QueryError
from central.query.filters import FilterName, Match
from central.query.modes import TEXT_MODES, parse_as
from central.query.parser import parse
from central.query.patterns import QUERY_PATTERN_CHARACTERS
from central.query.syntax import (
    Case,
    ContentTerm,
    Filter,
    Literal,
    Node,
    Not,
    Query,
    Regex,
    Structural,
    Word,
    conjunction,
    conjuncts,
)
from central.search.hints import looks_like_pattern
from indexer.limits import QUERY_CHARACTERS

_HYBRID: Final = str(Mode.HYBRID)
_SPECIAL: Final = frozenset("\\.+*?()|[]{}^$")  # in a pattern of RE2
_PUNCTUATION: Final = re.compile(r"[^\w\s]")


class OtherSearch(NamedTuple):
    """What a link says, and the search that it leads to."""

    label: str
    text: str
    mode: str


def other_searches(text: str, mode: str) -> list[OtherSearch]:
    """Return the searches, none of a text that cannot be read."""
    try:
        query = parsed(text, mode)
    except QueryError:
        return []
    found = [*_without_filters(query, mode), *_in_any_case(query, mode), *_otherwise(query, mode)]
    return [search for search in found if search.text and len(search.text) <= QUERY_CHARACTERS]


def of_one_file(text: str, mode: str, path: str) -> str:
    """Return the text of the same search in one file; "" if it would be too long."""
    in_file = Filter(FilterName.FILE, f"^{escaped_path(path)}$", Match.REGEX)
    return with_filter(parsed(text, mode), in_file, mode)


def with_filter(query: Query, added: Filter, mode: str) -> str:
    """Return the text of a query with one filter more; "" if it would be too long."""
    if len(added.value) > QUERY_PATTERN_CHARACTERS:
        return ""
    text = written(Query(conjunction([added, query.root]), query.case), mode)
    return text if len(text) <= QUERY_CHARACTERS else ""


def escaped_path(path: str) -> str:
    """Return the pattern of a path or a name: text that may stand in a filter's `/…/`."""
    return "".join(map(_escaped, path))


def _escaped(character: str) -> str:
    if character.isspace():
        return f"\\x{{{ord(character):x}}}"
    return f"\\{character}" if character in _SPECIAL else character


def parsed(text: str, mode: str) -> Query:
    """Read a query's text in its mode. Raises QueryError."""
    return parse_as(text, Mode(mode)) if mode in TEXT_MODES else parse(text)


def written(query: Query, mode: str) -> str:
    """Return the text of a query in its mode."""
    if mode not in TEXT_MODES:
        return str(query)
    case = [] if query.case is Case.AUTO else [f"case:{query.case}"]
    return " ".join([*case, *(_as_text(term) for term in conjuncts(query.root))])


def _as_text(term: Node) -> str:
    match term:
        case Literal(text=text) | Regex(pattern=text) | Structural(pattern=text):
            return text
    return str(term)


def _without_filters(query: Query, mode: str) -> Iterator[OtherSearch]:
    terms = conjuncts(query.root)
    filters = [term for term in terms if _is_filter(term)]
    for filter_ in filters:
        rest = conjunction(term for term in terms if term is not filter_)
        yield OtherSearch(f"Without {filter_}", written(Query(rest, query.case), mode), mode)
    if len(filters) > 1:
        rest = conjunction(term for term in terms if not _is_filter(term))
        yield OtherSearch("Without any filter", written(Query(rest, query.case), mode), mode)


def _is_filter(term: Node) -> bool:
    return isinstance(term.term if isinstance(term, Not) else term, Filter)


def _in_any_case(query: Query, mode: str) -> Iterator[OtherSearch]:
    terms = [term for term in query.terms if not isinstance(term, Structural)]
    if not all(query.ignores_case(term) for term in terms):
        label = "Upper and lower case alike, with case:no"
        yield OtherSearch(label, written(Query(query.root, Case.NO), mode), mode)


def _otherwise(query: Query, mode: str) -> Iterator[OtherSearch]:
    """Yield searches for the quoted text as a pattern, a pattern as text, and either by meaning."""
    texts = [term for term in conjuncts(query.root) if isinstance(term, Literal | Regex)]
    if any(isinstance(term, Literal) and _is_pattern(term.text) for term in texts):
        yield _replaced("As a regular expression", query, _pattern_of, mode, Mode.REGEX)
    if any(isinstance(term, Regex) and _PUNCTUATION.search(term.pattern) for term in texts):
        yield _replaced("The text as it is written", query, _literal_of, mode, Mode.LITERAL)
    if texts and query.is_exact:
        rest = [word for term in conjuncts(query.root) for word in _words_of(term)]
        text = str(Query(conjunction(rest), query.case))
        yield OtherSearch("By meaning, without quotes and patterns", text, _HYBRID)


def _replaced(
    label: str, query: Query, of: Callable[[Node], Node], mode: str, text_mode: Mode
) -> OtherSearch:
    other = str(text_mode) if mode in TEXT_MODES else mode
    changed = Query(conjunction(map(of, conjuncts(query.root))), query.case)
    return OtherSearch(label, written(changed, other), other)


def _pattern_of(term: Node) -> Node:
    is_one = isinstance(term, Literal) and _is_pattern(term.text)
    return Regex(term.text) if isinstance(term, Literal) and is_one else term


def _literal_of(term: Node) -> Node:
    return Literal(term.pattern) if isinstance(term, Regex) else term


def _words_of(term: Node) -> list[Node]:
    if isinstance(term, ContentTerm):
        text = term.text if isinstance(term, Literal) else _PUNCTUATION.sub(" ", term.pattern)
        return [Word(word) for word in text.split()]
    return [term]


def _is_pattern(text: str) -> bool:
    """Return whether a text looks like a pattern, and is one."""
    if not looks_like_pattern(text):
        return False
    try:
        parsed(text, str(Mode.REGEX))
    except QueryError:
        return False
    return True
