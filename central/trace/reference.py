"""What one reference of a file leads to: its definitions, or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from central.errors import NotFoundError
from central.tenancy.credentials import Credential
from central.trace.answers import Link, PartlyParsed, TraceReceipt
from central.trace.callees import resolve_callees
from central.trace.edges import Edge, Step
from central.trace.links import links
from central.trace.receipts import receipt_of
from central.trace.request_scope import TraceScope, require_file, traced
from central.trace.resolve.definitions import (
    Definition,
    DefinitionFilter,
    definitions_at,
    definitions_named,
)
from central.trace.resolve.engine import limits_met
from central.trace.resolve.questions import Key
from central.trace.resolve.references import ReferenceSite, sites_at
from central.trace.resolve.resolve import Confidence
from central.trace.resolve.sql import Imports
from indexer.records.fixtures import split_fixture
from indexer.records.references import Access, Binding

_SHOWN: Final = 100  # of candidates
_MOST: Final = 2**31 - 1  # of a line or column, as the database has them


@dataclass(frozen=True, slots=True)
class ReferencePosition:
    """Where a reference begins: `line` is 1-based, `column` 0-based in characters."""

    project: str
    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class FollowedReference:
    """The definitions that a reference may mean, the surest first; without any, why."""

    name: str
    position: ReferencePosition
    candidates: list[Link]
    reason: str
    receipt: TraceReceipt

    @property
    def target(self) -> Link | None:
        """The definition, if there is only one and more than the name says so."""
        if len(self.candidates) != 1 or self.candidates[0].confidence == "low":
            return None
        return self.candidates[0]


def follow_reference(*, credential: Credential, position: ReferencePosition) -> FollowedReference:
    """Resolve the reference at a position.

    Raises NotFoundError for an unknown project or file, and if no reference begins there.
    """
    with traced(credential, "reference") as scope:
        found = _follow(scope, position)
        scope.span.set_attributes(resultCount=len(found.candidates))
    return found


def _follow(scope: TraceScope, position: ReferencePosition) -> FollowedReference:
    sites = _sites(scope, position)
    found = resolve_callees(scope.resolver, sites, min_confidence=Confidence.MEDIUM)
    edges = _once(found.edges)
    definitions = definitions_at(scope.resolver, [edge.target for edge in edges])
    edges = [edge for edge in edges if edge.target in definitions]
    reason = "" if edges else _reason(scope, sites[0])
    if not edges and found.unresolved:
        edges, definitions = _named(scope, sites[0])
    steps = [Step(edge, 1, 0) for edge in edges[:_SHOWN]]
    return FollowedReference(
        name=sites[0].name,
        position=position,
        candidates=links(scope, steps, definitions),
        reason=reason,
        receipt=receipt_of(
            scope,
            tally=found.tally,
            cut=limits_met(scope.resolver),
            partly_parsed=PartlyParsed(),
        ),
    )


def _sites(scope: TraceScope, position: ReferencePosition) -> list[ReferenceSite]:
    repository = scope.named(position.project)
    require_file(scope, "" if "\0" in position.file else position.file, repository)
    is_possible = max(position.line, position.column) <= _MOST
    sites = is_possible and sites_at(
        scope.resolver,
        repository.id,
        position.file,
        line=position.line,
        column=position.column,
    )
    if not sites:
        raise NotFoundError(
            "No reference begins there in the indexed commit, which may be a newer one than that "
            "of the page before. Open the file again.",
            code="reference_not_found",
        )
    return sites


def _once(edges: Sequence[Edge]) -> list[Edge]:
    """Return the surest edge to each definition, the surest first."""
    best: dict[Key, Edge] = {}
    for edge in sorted(edges, key=lambda one: (-one.confidence, one.is_override)):
        best.setdefault(edge.target, edge)
    return list(best.values())


def _named(scope: TraceScope, site: ReferenceSite) -> tuple[list[Edge], dict[Key, Definition]]:
    """Return edges to the definitions of its name and ecosystem, its own repository's first."""
    named = definitions_named(scope.resolver, DefinitionFilter(site.name))
    alike = [one for one in named if one.ecosystem == site.ecosystem]
    alike.sort(key=lambda one: one.repository != site.repository)
    edges = [Edge(site, one.key, None, "name_only", Confidence.LOW, len(alike)) for one in alike]
    return _once(edges), {one.key: one for one in alike}


def _reason(scope: TraceScope, site: ReferenceSite) -> str:
    """Return why no definition was found."""
    name = f"“{site.name}”"
    if site.binding == Binding.IMPORT:
        (rows,) = scope.resolver.resolve_all([Imports(site.file, site.root)])
        if fixture := split_fixture(rows[0].path) if rows else None:
            return _reason_of_fixture(name, fixture[1], site)
        where = f"“{rows[0].path}”" if rows else "something"
        if site.access != Access.PATH:
            return f"{name} is a member of what the file imports as {where}; no member is known."
        return f"The file imports {where}, and no repository that you may see defines it there."
    if site.binding == Binding.UNKNOWN:
        return f"The file does not say of which class the value is whose member {name} is used."
    if site.binding == Binding.FREE and not site.chain and site.access == Access.PATH:
        return f"The file neither defines nor imports {name}: the language may have it."
    value = ".".join(part for part in (site.root, site.chain) if part)
    return f"{name} is used of “{value}”, for which no such member is known."


def _reason_of_fixture(name: str, fixture: str, site: ReferenceSite) -> str:
    if site.access != Access.PATH:
        return f"{name} is a member of the fixture “{fixture}”, whose value is of no known class."
    return (
        f"{name} is a fixture of pytest that neither this file nor a conftest.py defines; a plugin "
        "may."
    )
