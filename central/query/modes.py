"""Texts that are not written in the query language: one literal, one pattern, beside filters."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from aeterna_code_search.contract.search import Mode
from central.query.errors import QueryError
from central.query.escapes import unslash
from central.query.filters import CONTENT, filter_name
from central.query.lexemes import Kind, Lexeme, Lexer, checked_regex
from central.query.parser import QUERY_TERMS, only_case
from central.query.syntax import Literal, Node, Not, Query, Structural, conjunction

_WORD: Final = re.compile(r"-?(\S+)")


# What the text outside of the filters is.
TEXT_MODES: Final = (Mode.LITERAL, Mode.REGEX, Mode.STRUCTURAL)


def parse_as(text: str, mode: Mode) -> Query:
    """Parse a text of filters and one literal or pattern, by one of TEXT_MODES. Raises QueryError.

    Filters are recognised at the beginning of any word; beside a structural pattern, which may
    hold `key:value` itself, only before and after it. Quotes, parentheses and OR mean themselves.
    """
    filters = list(_filters(text, mode))
    if mode is Mode.STRUCTURAL:
        filters = _outer(text, filters)
    if len(filters) >= QUERY_TERMS:
        raise QueryError(f"more than {QUERY_TERMS} terms. Write fewer.", column=filters[-1].column)
    case = only_case([filter_ for filter_ in filters if filter_.kind is Kind.CASE])
    terms: list[Node] = [
        Not(filter_.node) if text[filter_.start] == "-" else filter_.node
        for filter_ in filters
        if filter_.node is not None
    ]
    rest, column = _rest(text, filters)
    return Query(conjunction([*terms, *_content(rest, mode, column)]), case)


def _filters(text: str, mode: Mode) -> Iterator[Lexeme]:
    """Yield the filters that are whole words, each from its minus on."""
    lexer, end, is_inside = Lexer(text), 0, False
    for word in _WORD.finditer(text):
        if word.start() < end:  # in the quotes of a value
            continue
        found = None
        if filter_name(text, word.start(1), names=lexer.names) not in {None, CONTENT}:
            is_last = word.end() == len(text)
            may_be_pattern = mode is Mode.STRUCTURAL and is_inside and not is_last
            found = _filter(lexer, word, may_be_pattern=may_be_pattern)
        if found:
            yield found
            end = found.end
        else:
            is_inside = True


def _filter(lexer: Lexer, word: re.Match[str], *, may_be_pattern: bool) -> Lexeme | None:
    """Return the filter that begins with a word. Raises QueryError, unless it may be a pattern."""
    try:
        found = lexer.filter_at(word.start(1), negated=word[0][0] == "-")
    except QueryError:
        if may_be_pattern:
            return None
        raise
    if found is None or lexer.text[found.end : found.end + 1].strip():
        return None
    return replace(found, start=word.start())


def _outer(text: str, filters: Sequence[Lexeme]) -> list[Lexeme]:
    """Return the filters before which, or after which, there are only filters and spaces."""
    leading, end = 0, 0
    while leading < len(filters) and not text[end : filters[leading].start].strip():
        end = filters[leading].end
        leading += 1
    trailing, start = len(filters), len(text)
    while trailing > leading and not text[filters[trailing - 1].end : start].strip():
        trailing -= 1
        start = filters[trailing].start
    return [*filters[:leading], *filters[trailing:]]


def _rest(text: str, filters: Sequence[Lexeme]) -> tuple[str, int]:
    """Return the text outside of the filters, and its column."""
    starts = [0, *(filter_.end for filter_ in filters)]
    ends = [*(filter_.start for filter_ in filters), len(text)]
    parts = [(text[start:end], start) for start, end in zip(starts, ends, strict=True)]
    kept = [(part, start) for part, start in parts if part.strip()]
    if not kept:
        return "", 1
    first, start = kept[0]
    return " ".join(part.strip() for part, _ in kept), start + len(first) - len(first.lstrip()) + 1


def _content(text: str, mode: Mode, column: int) -> list[Node]:
    if not text:
        return []
    if mode is Mode.LITERAL:
        return [Literal(text, column)]
    if mode is Mode.REGEX:
        return [checked_regex(unslash(text), column)]
    return [Structural(text, column)]
