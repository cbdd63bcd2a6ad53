"""Queries and rows that the pages of symbols and graphs share."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest

from aeterna_code_search.contract.trace import (
    Endpoint,
    Link,
    MeantDefinition,
    ShownDefinition,
    UnresolvedSite,
)
from central.errors import NotFoundError
from central.http.parameters import INTEGER
from central.web.urls_for import TracePages, given_in, graph_url, symbol_url

_NUMBERS: Final = dict.fromkeys(("line", "depth", "limit"), INTEGER)
NO_OWNER: Final = "No owner"
OWNER_UNKNOWN: Final = "Owner not known"
_NOT_THERE: Final = "symbol_not_found"
RULE_WORDS: Final = {
    "same_file": "in the same file",
    "import": "by an import",
    "receiver_type": "by the type of the receiver",
    "scip": "by a compiler's index",
    "same_package": "in the same package",
    "dependency": "by a package that is imported as a whole",
    "value_flow": "by what a value may hold",
    "model": "by the model of a library",
    "name_only": "by its name only",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A link with the addresses of its place and of the definition at its other end."""

    link: Link
    end: Endpoint
    rule: str
    place_url: str
    symbol_url: str


@dataclass(frozen=True, slots=True)
class EndRows:
    """The links of one shown end: all places of one caller, or all uses of one callee."""

    end: Endpoint
    symbol_url: str
    rows: list[Row]

    @property
    def rowspan(self) -> int:
        """Rows of the table that its heading spans."""
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Group:
    """Links whose shown ends are of one project, or whose files have one owner, by end."""

    name: str
    ends: list[EndRows]
    is_owner: bool = False

    @property
    def has_versions(self) -> bool:
        """Whether any of them goes from one package to another that it asks for."""
        links = (row.link for end in self.ends for row in end.rows)
        return any(link.pinned_version or link.required_version for link in links)


@dataclass(frozen=True, slots=True)
class DefinitionChoice:
    definition: ShownDefinition
    file_url: str
    symbol_url: str
    graph_url: str


def trace_query(request: HttpRequest, *, organization: str) -> dict[str, Any]:
    """Return the address's query as the API's request has it, without empty fields."""
    given = given_in(request, lists=("caller_projects", "kind"), numbers=_NUMBERS)
    return {**given, "symbol": given.get("name", ""), "org_id": organization}


def similar_symbols(exc: NotFoundError) -> dict[str, Any]:
    """Return the form's context for an unknown symbol: the problem and similar names.

    Raises `exc` if something else was not found.
    """
    if exc.code != _NOT_THERE:
        raise exc
    return {"problem": exc.message, "near": exc.extra["near"]}


def candidate_rows(
    definitions: Iterable[MeantDefinition], pages: TracePages
) -> list[tuple[MeantDefinition, str, str, str]]:
    """Return what a name may mean: its rule, and the addresses of the line and of the uses."""
    return [
        (
            found,
            RULE_WORDS.get(found.rule, found.rule),
            pages.file(found.project, found.file, found.line),
            pages.end(found.project, found.file, found.qualified_name),
        )
        for found in definitions
    ]


def choices(definitions: Iterable[ShownDefinition], pages: TracePages) -> list[DefinitionChoice]:
    return [_choice(definition, pages) for definition in definitions]


def _choice(definition: ShownDefinition, pages: TracePages) -> DefinitionChoice:
    place: dict[str, object] = {
        "project": definition.project,
        "file": definition.file,
        "line": definition.line,
        "ref": pages.ref_of(definition.project),
    }
    return DefinitionChoice(
        definition,
        pages.file(definition.project, definition.file, definition.line),
        symbol_url(pages.organization, definition.qualified_name, **place),
        graph_url(pages.organization, definition.qualified_name, **place),
    )


def with_places(
    sites: Iterable[UnresolvedSite], pages: TracePages
) -> list[tuple[UnresolvedSite, str]]:
    """References of which nothing is known, with their addresses."""
    return [(site, pages.file(site.project, site.file, site.line)) for site in sites]


def rows_by_project(
    links: Iterable[Link], end_of: Callable[[Link], Endpoint], pages: TracePages
) -> list[Group]:
    """Links by the project of the end that `end_of` shows, and there by the end itself."""
    by_project = _grouped(links, lambda link: [end_of(link).project])
    return [
        Group(project, _by_end(several, end_of, pages))
        for project, several in sorted(by_project.items())
    ]


def rows_by_owner(
    links: Iterable[Link], end_of: Callable[[Link], Endpoint], pages: TracePages
) -> list[Group]:
    """Links by the owner of their file, most first; those of two owners are in both groups."""
    by_owner = _grouped(links, _owners)
    last = {NO_OWNER, OWNER_UNKNOWN}
    ordered = sorted(by_owner.items(), key=lambda item: (-len(item[1]), item[0] in last, item[0]))
    return [
        Group(owner, _by_end(several, end_of, pages), is_owner=True) for owner, several in ordered
    ]


def _owners(link: Link) -> list[str]:
    return link.owners or [OWNER_UNKNOWN if link.owners is None else NO_OWNER]


def _grouped(
    links: Iterable[Link], names_of: Callable[[Link], Iterable[str]]
) -> dict[str, list[Link]]:
    groups = defaultdict[str, list[Link]](list)
    for link in links:
        for name in names_of(link):
            groups[name].append(link)
    return groups


def _by_end(
    links: Iterable[Link], end_of: Callable[[Link], Endpoint], pages: TracePages
) -> list[EndRows]:
    rows = defaultdict[Endpoint, list[Row]](list)
    for link in links:
        end = end_of(link)
        rows[end].append(
            Row(
                link,
                end,
                RULE_WORDS.get(link.rule, link.rule),
                pages.file(link.project, link.file, link.line),
                pages.end(end.project, end.file, end.qualified_name),
            )
        )
    return [EndRows(end, several[0].symbol_url, several) for end, several in rows.items()]


def pages_of(query: Mapping[str, Any]) -> TracePages:
    """Return the pages of a trace with this query (`trace_query`)."""
    return TracePages(query["org_id"], query.get("project", ""), query.get("ref", ""))
