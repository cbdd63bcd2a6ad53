"""Where the names that an exact search has are defined, by file and line."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from central.corpus.models import Symbol
from central.db import fetch_rows_planned_each_time, id_array, sql_with
from central.query.filters import Match
from central.query.identifiers import Identifier, identifiers
from central.query.patterns import compile_pattern, text_matcher
from central.query.syntax import Case, Filter, Literal, Query, Regex
from central.search.exact.files import defined_names
from central.search.exact.matching import Lines
from central.search.exact.plan import ExactPlan
from central.search.exact.text_pattern import Span
from central.search.query import name_parts
from central.search.rows import LEXEME_CHARACTERS, SYMBOL_ROWS, prefix_query

NamesByLine = Mapping[int, Mapping[int, str]]  # the name that is defined, by file and line
_Row = tuple[Any, ...]  # file, line, name, kind and qualified name of a symbol
_TYPES: Final = frozenset({"class", "enum", "interface", "struct", "trait", "type"})
DEFINES_NONE: Final = 3  # the rank of a file that defines no name
_SHORTEST_PART: Final = 5  # characters; `get` and `test` are parts of too many names
_SEPARATOR: Final = re.compile(r"::|->|[.#]")
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w{2,}")
_sql = sql_with(symbol=Symbol)
_NAMED = _sql("""SELECT s.file_id, s.start_line, s.name, s.kind, s.qualified_name FROM {symbol} s
    WHERE s.name = ANY(%s::text[]) AND s.repository_id = ANY(%s::bigint[])""")
# In order, so that pages agree. Without one, PostgreSQL hopes to find 500 soon, and reads all.
_LIKE = _sql("""SELECT s.file_id, s.start_line, s.name, s.signature FROM {symbol} s
    WHERE s.repository_id = ANY(%s::bigint[]) AND array_to_tsvector(s.parts) @@ %s::tsquery
    ORDER BY length(s.name), s.id LIMIT %s""")


@dataclass(frozen=True, slots=True)
class Definitions:
    """Definitions of the symbols that each `sym:` means, and of names in literals and patterns.

    `exact` are the files that define a name as it is written; `methods` are those of them that do
    so by methods only, while a type elsewhere has the name; `others` define one that is meant.
    """

    of_filters: Mapping[Filter, NamesByLine]
    of_names: NamesByLine
    exact: frozenset[int]
    methods: frozenset[int]
    others: frozenset[int]

    def rank(self, file: int) -> int:
        """Return 0 for a file that defines a name as written, 3 for one that defines none.

        1 is for one of `methods`, 2 for another that defines a name.
        """
        if file in self.exact:
            return 1 if file in self.methods else 0
        return 2 if file in self.others else DEFINES_NONE


def find_definitions(plan: ExactPlan, *, repositories: Sequence[int]) -> Definitions:
    """Look up the definitions of what a query names in `repositories`."""
    written: set[str] = set()
    similar: dict[Regex, list[Identifier]] = {}
    for term in plan.shown:
        if isinstance(term, Literal):
            written.update(_IDENTIFIER.findall(term.text))
        elif isinstance(term, Regex):
            found = identifiers(term.pattern)
            written.update(name for name, is_whole in found if is_whole)
            is_any_case = plan.read.query.ignores_case(term)
            similar[term] = [
                identifier for identifier in found if is_any_case or not identifier.is_whole
            ]
    whole = _named(written, repositories)  # the rows of names as they are written
    of_names = _by_file(whole)
    for file, lines in _defined_like(plan, similar, repositories).items():
        of_names.setdefault(file, {}).update(lines)
    of_filters: dict[Filter, NamesByLine] = {}
    others = set(of_names)
    for symbol in plan.symbols:
        name, rows = _meant(symbol, plan.read.query, repositories)
        of_filters[symbol] = places = _by_file(rows)
        if symbol in plan.shown_symbols:
            others.update(places)
            fold = str.lower if plan.read.query.ignores_case(symbol) else str
            whole += [row for row in rows if fold(row[2]) == fold(name)]
    exact = frozenset(file for file, *_ in whole)
    return Definitions(of_filters, of_names, exact, _methods(whole), frozenset(others))


def _meant(symbol: Filter, query: Query, repositories: Sequence[int]) -> tuple[str, Sequence[_Row]]:
    """Return the name that a `sym:` asks for, and the rows of the definitions that it means.

    `Class.method` is a part of the qualified name, written as in any language.
    """
    *containers, name = _SEPARATOR.split(symbol.value)
    if symbol.match is not Match.SUBSTRING or not (name and any(containers)):
        meant = defined_names(symbol, query, repositories=repositories)
        return symbol.value, _named(meant, repositories)
    ignore_case = query.ignores_case(symbol)
    last = replace(symbol, value=name)
    names = defined_names(last, replace(query, case=Case.NO), repositories=repositories)
    is_meant = text_matcher(
        ".".join([*containers, name]),
        Match.SUBSTRING,
        ignore_case=ignore_case,
        column=symbol.column,
    )
    return name, [row for row in _named(names, repositories) if is_meant(row[4])]


def _methods(rows: Sequence[_Row]) -> frozenset[int]:
    """Return the files of the rows of which each is a method with the name of a type."""
    types = {name.lower() for _, _, name, kind, _ in rows if kind in _TYPES}
    others = {
        file for file, _, name, kind, _ in rows if kind != "method" or name.lower() not in types
    }
    return frozenset(file for file, *_ in rows) - others


def name_spans(content: bytes, names: Mapping[int, str]) -> list[Span]:
    """Return where names stand in their lines, by line; the line where it is not found."""
    lines = Lines(content)
    spans = []
    for number, name in sorted(names.items()):
        if number <= len(lines):
            start, end = lines.bounds(number)
            found = re.search(rb"(?<!\w)%b(?!\w)" % re.escape(name.encode()), content[start:end])
            spans.append((start + found.start(), start + found.end()) if found else (start, end))
    return spans


def _named(names: Collection[str], repositories: Sequence[int]) -> list[_Row]:
    if not names:
        return []
    return fetch_rows_planned_each_time(_NAMED, [list(names), id_array(repositories)])


def _defined_like(
    plan: ExactPlan, names: Mapping[Regex, Collection[Identifier]], repositories: Sequence[int]
) -> NamesByLine:
    """Return definitions whose signature a pattern matches, by the parts of their names."""
    different = {identifier for found in names.values() for identifier in found}
    queries = sorted(query for identifier in different if (query := _tokens_query(identifier)))
    if not queries:
        return {}
    rows = fetch_rows_planned_each_time(
        _LIKE, [id_array(repositories), " | ".join(queries), SYMBOL_ROWS]
    )
    matchers = [
        compile_pattern(
            f"(?m){term.pattern}", ignore_case=plan.read.query.ignores_case(term)
        ).search
        for term in names
    ]
    return _by_file(row for row in rows if any(matches(row[3]) for matches in matchers))


def _tokens_query(name: Identifier) -> str:
    """Return the tsquery for the name in any case, or for names that have it as a part."""
    if len(name.text) < _SHORTEST_PART:
        return ""
    parts = name_parts(name.text)
    whole = "".join(parts)
    if name.is_whole and len(whole) <= LEXEME_CHARACTERS:
        return f"'{whole}'" if whole else ""
    return prefix_query(parts, whole) if parts else ""


def _by_file(rows: Iterable[tuple[Any, ...]]) -> dict[int, dict[int, str]]:
    found: dict[int, dict[int, str]] = {}
    for file, line, name, *_ in rows:
        found.setdefault(file, {})[line] = name
    return found
