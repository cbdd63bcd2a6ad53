"""Callers of a definition: candidates by name, each resolved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from central.trace.constructors import class_of, constructed_classes, constructor_edges
from central.trace.edges import Edge, edges_by_name, edges_to
from central.trace.resolve.definitions import Definition
from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.extensions import extended_types
from central.trace.resolve.flow_candidates import flow_sites
from central.trace.resolve.hierarchy import aliases_of, hierarchy_of, used_as
from central.trace.resolve.questions import Ancestors, Key, last_name
from central.trace.resolve.references import (
    Names,
    ReferenceQuery,
    ReferenceSite,
    bound_sites,
    distinct,
    sites_named,
    sites_rooted,
)
from central.trace.resolve.resolve import (
    Confidence,
    Resolution,
    resolve,
    with_unresolved,
)
from central.trace.tally import (
    MAX_UNLIKELY,
    MAX_UNRESOLVED,
    NamedReferences,
    Tally,
    Unlikely,
    read_unlikely,
    tally_of,
    tally_with_unresolved,
)
from indexer.records.manifests import Ecosystem
from indexer.records.references import CALL_METHOD, Access

MAX_RESOLVED: Final = 10_000  # references of the names; of more, the class hierarchy selects
MAX_UNCOUNTED: Final = 3_000  # the same limit without a tally
_ANY_FILE: Final = 0  # a part of a class may stand in another file than its constructor
CUT_CALLERS: Final = "The search for callers met a limit; ask for a definition by file."


@dataclass(slots=True)
class FoundCallers:
    """Edges from the callers, and the other references of the same name.

    `untargeted` are those that lead to no visible definition.
    """

    edges: list[Edge]
    tally: Tally = field(default_factory=Tally)
    is_cut: bool = False
    untargeted: Sequence[ReferenceSite] = ()


def find_callers(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    *,
    min_confidence: Confidence,
    is_tallied: bool = True,
    within: Sequence[int] | None = None,
    prefetch: Sequence[ReferenceSite] = (),
) -> FoundCallers:
    """Return edges to the definitions with at least this confidence.

    LOW includes references that share only the name, up to MAX_UNRESOLVED. Unless `is_tallied`,
    the others are not counted. With `within`, references in other files may be left out. The
    caller resolves the references in `prefetch` next: they share the round trips.
    """
    if not definitions:
        return FoundCallers([])
    is_low = min_confidence is Confidence.LOW
    further = MAX_UNRESOLVED + 1 if is_low else MAX_UNLIKELY if is_tallied else 0
    sought = _sought(resolver, definitions)
    resolved, unlikely, is_cut = _candidates(resolver, sought, further, within, prefetch)
    edges = _leading_edges(resolver, sought, resolved)
    found = FoundCallers([one for one in edges if one.confidence >= min_confidence], is_cut=is_cut)
    bare = {one.name for one in sought.named}
    found.untargeted = [
        site for site, resolution in resolved if not resolution.targets and site.name in bare
    ]
    named = NamedReferences(sought.named, resolved, unlikely, {edge.site for edge in edges})
    if is_low:
        found.tally, unresolved = tally_with_unresolved(resolver, named)
        found.is_cut = is_cut or found.tally.unresolved > MAX_UNRESOLVED
        found.edges += _edges_by_name(unresolved, sought)
    elif is_tallied:
        found.tally = tally_of(resolver, named)
    return found


class _Sought(NamedTuple):
    """Definitions, with those whose names count for them, and all that lead to them.

    A constructor is called by the name of its class, or of one below it.
    """

    definitions: Sequence[Definition]
    named: Sequence[Definition]
    leading: Sequence[Definition]

    @property
    def has_constructors(self) -> bool:
        """Whether one of the definitions is a constructor."""
        return any(class_of(one) for one in self.definitions)


def _sought(resolver: BatchResolver, definitions: Sequence[Definition]) -> _Sought:
    names = {(one.name, one.ecosystem) for one in definitions}
    own, below = constructed_classes(resolver, definitions)
    named = [one for one in own if (one.name, one.ecosystem) not in names]
    return _Sought(definitions, [*definitions, *named], [*definitions, *own, *below])


def _leading_edges(
    resolver: BatchResolver,
    sought: _Sought,
    resolved: Sequence[tuple[ReferenceSite, Resolution]],
) -> list[Edge]:
    """Return the edges to the definitions that are sought."""
    overridden = _overridden(resolver, sought.definitions)
    keys = {one.key for one in sought.definitions}
    edges = [
        edge for site, resolution in resolved for edge in _edges(site, resolution, keys, overridden)
    ]
    if sought.has_constructors:
        to_classes = [edge for site, resolution in resolved for edge in edges_to(site, resolution)]
        made = constructor_edges(resolver, to_classes)
        edges += [edge for edge in made if edge.target in keys]
    return edges


def _edges_by_name(unresolved: Sequence[ReferenceSite], sought: _Sought) -> list[Edge]:
    """Return edges that only a name makes; those by the name of a class go to its constructor."""
    keys = {one.key for one in sought.definitions}
    constructors: dict[Key, Key] = {}
    for one in sought.definitions:
        if owner := class_of(one):
            constructors[owner] = one.key
            constructors.setdefault((_ANY_FILE, owner[1]), one.key)
    return [
        edge
        if edge.target in keys
        else edge._replace(
            target=constructors.get(edge.target) or constructors[_ANY_FILE, edge.target[1]]
        )
        for edge in edges_by_name(unresolved, sought.named)
    ]


class _Candidates(NamedTuple):
    resolved: list[tuple[ReferenceSite, Resolution]]
    unlikely: Unlikely
    is_cut: bool


def _candidates(
    resolver: BatchResolver,
    sought: _Sought,
    further: int,
    within: Sequence[int] | None,
    prefetch: Sequence[ReferenceSite],
) -> _Candidates:
    """Return every reference that may lead to what is sought, resolved.

    If few bear the names, all of these are resolved. Of more, those that the class hierarchy
    selects, and up to `further` of the others.
    """
    keys = {one.key for one in sought.leading}
    ecosystems = sorted({one.ecosystem for one in sought.leading})
    components = used_as(resolver, keys) if Ecosystem.NPM in ecosystems else set()
    aliases = aliases_of(resolver, keys | components)
    names = [(name, one) for name in sorted(aliases.names) for one in ecosystems]
    files = sorted({one.file for one in sought.leading})
    most = MAX_RESOLVED if further else MAX_UNCOUNTED
    sites = bound_sites(resolver, names, files, within=within, limit=most + 1)
    found = _Selection(sites, Unlikely(), is_cut=False)
    if len(sites) > most:
        found = _selected_by_hierarchy(resolver, sought, names, files, further)
    sites = distinct([*found.sites, *sites_rooted(resolver, aliases.roots)])
    may_be_held = any(name_rules(one).functions_as_values for one in ecosystems)
    held = _held_sites(resolver, sought, sites, aliases.names) if may_be_held else []
    resolver.prefetch(_lineages(sought.definitions).values())
    resolutions = resolve(resolver, [*sites, *held, *prefetch])[: len(sites) + len(held)]
    of_values = resolutions[len(sites) :]
    resolutions = resolutions[: len(sites)]
    if further:
        resolutions = with_unresolved(resolver, sites, resolutions)
    resolved = list(zip(sites, resolutions, strict=True))
    resolved += [one for one in zip(held, of_values, strict=True) if one[1].targets]
    return _Candidates(resolved, found.unlikely, aliases.is_cut or found.is_cut)


def _held_sites(
    resolver: BatchResolver, sought: _Sought, sites: Sequence[ReferenceSite], names: set[str]
) -> list[ReferenceSite]:
    """Return further references, of values that may hold what has one of the names."""
    known = {site.id for site in sites}
    owners = {
        owner
        for one in sought.leading
        if last_name(one.qualified_name) == CALL_METHOD and (owner := _owner(one))
    }
    made = hierarchy_of(resolver, owners, {Ecosystem.PYPI}).names if owners else ()
    found = flow_sites(resolver, names, instances=made)
    return [site for site in distinct(found) if site.id not in known]


class _Selection(NamedTuple):
    sites: list[ReferenceSite]
    unlikely: Unlikely
    is_cut: bool


def _selected_by_hierarchy(
    resolver: BatchResolver,
    sought: _Sought,
    names: Names,
    files: Sequence[int],
    further: int,
) -> _Selection:
    """Return the references whose receivers may be of the classes, and `further` others."""
    extended = extended_types(resolver, [(one.key, one.ecosystem) for one in sought.leading])
    owners = {owner for one in sought.leading if (owner := _owner(one))} | extended.classes
    ecosystems = {ecosystem for _, ecosystem in names}
    hierarchy = None
    if owners or extended.names:
        hierarchy = hierarchy_of(resolver, owners, ecosystems)
    query = ReferenceQuery(
        names,
        files,
        at_top=any("." not in one.qualified_name for one in sought.leading),
        containers=sorted(hierarchy.names | extended.names) if hierarchy else None,
    )
    sites = sites_named(resolver, query)
    if hierarchy:
        asked = sorted({name for name, _ in names})
        sites += sites_rooted(resolver, hierarchy.roots, names=asked)
    unlikely = Unlikely()
    if further:
        unlikely = read_unlikely(resolver, sought.named, query, limit=further)
        sites += unlikely.sites
    return _Selection(sites, unlikely, is_cut=hierarchy is not None and hierarchy.is_cut)


def _owner(one: Definition) -> Key | None:
    container = one.qualified_name.rpartition(".")[0]
    return (one.file, container) if container else None


def _edges(
    site: ReferenceSite,
    resolution: Resolution,
    keys: set[Key],
    overridden: Mapping[Key, Sequence[Key]],
) -> list[Edge]:
    edges = [edge for edge in edges_to(site, resolution) if edge.target in keys]
    direct = {edge.target for edge in edges}
    for definition in resolution.targets:
        if definition.receiver is None or site.access == Access.BASE:
            continue
        for target in overridden.get(definition.receiver, ()):
            if target not in direct and last_name(target[1]) == last_name(definition.name):
                rule = "receiver_type"
                count = resolution.candidates
                edges.append(Edge(site, target, definition, rule, Confidence.MEDIUM, count, True))
    return edges


def _lineages(definitions: Sequence[Definition]) -> dict[Key, Ancestors]:
    """Return the question for the ancestors of each member's class."""
    return {one.key: Ancestors(*owner) for one in definitions if (owner := _owner(one))}


def _overridden(resolver: BatchResolver, definitions: Sequence[Definition]) -> dict[Key, list[Key]]:
    """Return, for each ancestor class, the given members that may override its own."""
    lineages = _lineages(definitions)
    found: dict[Key, list[Key]] = {}
    answers = resolver.resolve_all(list(lineages.values()))
    for key, lineage in zip(lineages, answers, strict=True):
        for ancestor in lineage:
            found.setdefault(ancestor.key, []).append(key)
    return found
