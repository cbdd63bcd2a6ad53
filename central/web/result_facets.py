"""Counts of results to click: a value becomes a filter of the query, a second click removes it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from aeterna_code_search.contract.search import Facets
from central.query.errors import QueryError
from central.query.filters import FilterName, Match
from central.query.syntax import Filter, Query, conjunction, conjuncts
from central.search.facets import FacetKind
from central.web.other_searches import escaped_path, parsed, with_filter, written
from central.web.search_form import SearchForm
from central.web.urls_for import REF


@dataclass(frozen=True, slots=True)
class FacetLink:
    """A value with its count, None if it is not among those that are counted."""

    value: str
    files: int | None
    address: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class FacetRow:
    """The values of one kind, those that are chosen first."""

    kind: str
    title: str
    links: list[FacetLink]


_TITLES: Final = {
    FacetKind.REPOSITORY: "Repository",
    FacetKind.LANGUAGE: "Language",
    FacetKind.DIRECTORY: "Directory",
    FacetKind.OWNER: "Owner",
}
_FILTERS: Final = {
    FacetKind.REPOSITORY: lambda value: Filter(
        FilterName.REPO, f"^{escaped_path(value)}$", Match.REGEX
    ),
    FacetKind.LANGUAGE: lambda value: Filter(FilterName.LANG, value, Match.EXACT),
    FacetKind.DIRECTORY: lambda value: Filter(
        FilterName.FILE, f"^{escaped_path(value)}", Match.REGEX
    ),
    FacetKind.OWNER: lambda value: Filter(FilterName.OWNER, value, Match.SUBSTRING),
}
_ANCHORED: Final = {
    FacetKind.REPOSITORY: re.compile(r"\^(.+)\$"),
    FacetKind.DIRECTORY: re.compile(r"\^(.+/)"),
}
_ESCAPED: Final = re.compile(r"\\x\{([0-9a-f]+)\}|\\([^\w\s])")


def facet_rows(asked: SearchForm, facets: Facets | None) -> list[FacetRow]:
    """Return the rows of a page; of a kind with one value that all files have, nothing to click."""
    if facets is None:
        return []
    try:
        query = parsed(asked.q, asked.mode)
    except QueryError:
        return []
    rows = [_row(kind, asked, query, facets) for kind in FacetKind]
    rows.append(_of_branches(asked, facets))
    return [row for row in rows if len(row.links) > 1 or any(link.is_chosen for link in row.links)]


def _row(kind: FacetKind, asked: SearchForm, query: Query, facets: Facets) -> FacetRow:
    counts = {choice.value: choice.files for choice in getattr(facets, kind.value)}
    chosen = dict(_chosen(kind, asked, query))
    links = [
        FacetLink(value, counts.get(value), address, is_chosen=True)
        for value, address in chosen.items()
    ]
    for value, files in counts.items():
        if value not in chosen and (address := _with(kind, value, asked, query)):
            links.append(FacetLink(value, files, address, is_chosen=False))
    return FacetRow(kind.value, _TITLES[kind], links)


def _of_branches(asked: SearchForm, facets: Facets) -> FacetRow:
    """Return the branches of the answer; there are none unless branches are asked for."""
    asked_for = asked.filters.get(REF, "")
    links = []
    for choice in facets.branches:
        is_chosen = choice.value == asked_for
        filters = {**asked.filters, REF: choice.value}
        chosen = replace(asked, filters=filters, cursor="").address()
        address = asked.without(REF) if is_chosen else chosen
        links.append(FacetLink(choice.value, choice.files, address, is_chosen=is_chosen))
    return FacetRow("branches", "Branch", links)


def _with(kind: FacetKind, value: str, asked: SearchForm, query: Query) -> str:
    """Return the address of the search with one filter more; "" if it would be too long."""
    text = with_filter(query, _FILTERS[kind](value), asked.mode)
    return text and _address(asked, text)


def _chosen(kind: FacetKind, asked: SearchForm, query: Query) -> Iterator[tuple[str, str]]:
    """Yield values that the query, or a field of the form, asks for; and the search without."""
    terms = conjuncts(query.root)
    for term in terms:
        value = _value(kind, term) if isinstance(term, Filter) else ""
        rest = [other for other in terms if other is not term]
        if value and (text := written(Query(conjunction(rest), query.case), asked.mode)):
            yield value, _address(asked, text)
    if kind is FacetKind.REPOSITORY:
        for project in asked.projects:
            yield project, asked.without("project", project)
    for name, value in _fields(kind, asked.filters):
        yield value, asked.without(name)


def _fields(kind: FacetKind, filters: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    name = {FacetKind.LANGUAGE: "language", FacetKind.DIRECTORY: "path"}.get(kind, "")
    if name in filters:
        yield name, filters[name]


def _value(kind: FacetKind, term: Filter) -> str:
    """Return the value that a filter stands for; "" if it is not of this kind, or of no value."""
    if kind is FacetKind.LANGUAGE:
        return term.value if term.name is FilterName.LANG else ""
    if kind is FacetKind.OWNER:
        return term.value if term == _FILTERS[kind](term.value) else ""
    found = _ANCHORED[kind].fullmatch(term.value) if term.match is Match.REGEX else None
    if found is None:
        return ""
    value = _ESCAPED.sub(
        lambda escape: chr(int(escape[1], 16)) if escape[1] else escape[2], found[1]
    )
    return value if _FILTERS[kind](value) == term else ""


def _address(asked: SearchForm, text: str) -> str:
    return replace(asked, q=text, cursor="").address()
