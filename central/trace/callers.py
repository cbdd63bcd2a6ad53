"""Callers of a definition: candidates by name, each resolved."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Confidence
from central.trace.edges import (
    Edge,
    class_of,
    classes_of,
    constructed_classes,
    constructor_edges,
    edges_by_name,
    edges_to,
)
from central.trace.resolve.definitions import Definition
from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.extensions import extended_types
from central.trace.resolve.flow_candidates import CUT_HOLDERS, MAX_SITES, flow_sites, held_sites_in
from central.trace.resolve.hierarchy import aliases_of, hierarchy_of, used_as
from central.trace.resolve.questions import Ancestors, Key, Limit, last_name
from central.trace.resolve.references import (
    Names,
    ReferenceQuery,
    ReferenceSite,
    bound_sites,
    count_references,
    distinct,
    indexed_sites,
    sites_named,
    sites_rooted,
    unresolved_sites,
)
from central.trace.resolve.resolve import Resolution, resolve, with_unresolved
from central.trace.stored.hierarchy import lineages
from central.trace.stored.reading import (
    count_unresolved,
    imported_from_nowhere,
    stored_edges_through,
    stored_edges_to,
    unresolved_in_stored,
)
from central.trace.tally import (
    MAX_UNLIKELY,
    MAX_UNRESOLVED,
    SAMPLE,
    NamedReferences,
    Tally,
    Unlikely,
    names_of,
    read_unlikely,
    tally_of,
    tally_with,
    tally_with_unresolved,
    unresolved_among,
)
from indexer.records.manifests import Ecosystem
from indexer.records.references import CALL_METHOD, Access, Binding

MAX_RESOLVED: Final = 10_000  # references of the names; of more, the class hierarchy selects
MAX_UNCOUNTED: Final = 3_000  # the same limit without a tally
_ANY_FILE: Final = 0  # a part of a class may stand in another file than its constructor
CUT_CALLERS: Final = "The search for callers met a limit; ask for a definition by file."


@dataclass(slots=True)
class FoundCallers:
    """Edges from the callers, and the other references of the same name.

    `untargeted` are those that begin with an import and lead to no visible definition.
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
    within: Collection[int] | None = None,
    prefetch: Sequence[ReferenceSite] = (),
) -> FoundCallers:
    """Return edges to the definitions with at least this confidence.

    LOW includes references that share only the name, up to MAX_UNRESOLVED. Unless `is_tallied`,
    the others are not counted. With `within`, references in other files may be left out. The
    caller resolves the references in `prefetch` next: they share the round trips.
    """
    if not definitions:
        return FoundCallers([])
    if resolver.live_files is not None:
        return _stored_callers(resolver, definitions, min_confidence, is_tallied, within)
    is_low = min_confidence is Confidence.LOW
    further = MAX_UNRESOLVED + 1 if is_low else MAX_UNLIKELY if is_tallied else 0
    edges, named, is_cut = _resolved_callers(resolver, definitions, further, within, prefetch)
    found = FoundCallers(
        [edge for edge in edges if edge.confidence >= min_confidence], is_cut=is_cut
    )
    found.untargeted = _imported_from_nowhere(named)
    if is_low:
        found.tally, unresolved = tally_with_unresolved(resolver, named)
        found.is_cut = is_cut or found.tally.unresolved > MAX_UNRESOLVED
        found.edges += _edges_by_name(unresolved, definitions, named.definitions)
    elif is_tallied:
        found.tally = tally_of(resolver, named)
    return found


def type_uses(
    resolver: BatchResolver, definitions: Sequence[Definition], *, min_confidence: Confidence
) -> list[Edge]:
    """Return edges from annotations and the like, which an index alone knows, at most MAX_RESOLVED.

    Beyond that, the receipt says so.
    """
    names = sorted({definition.name for definition in definitions})
    sites = indexed_sites(resolver, names, within=None, limit=MAX_RESOLVED + 1, as_types=True)
    if len(sites) > MAX_RESOLVED:
        resolver.resolve_all([Limit(CUT_CALLERS)])
    keys = {definition.key for definition in definitions}
    pairs = zip(sites, resolve(resolver, sites[:MAX_RESOLVED]), strict=False)
    edges = [edge for site, resolution in pairs for edge in edges_to(site, resolution)]
    return [edge for edge in edges if edge.target in keys and edge.confidence >= min_confidence]


def _stored_callers(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    min_confidence: Confidence,
    is_tallied: bool,
    within: Collection[int] | None,
) -> FoundCallers:
    """As `find_callers`, from stored edges; the references in `live_files` are resolved."""
    is_low = min_confidence is Confidence.LOW
    named = [*definitions, *_by_other_names(classes_of(resolver, definitions), definitions)]
    further = MAX_UNRESOLVED + 1 if is_tallied or is_low else 0
    live = _live_callers(resolver, definitions, further, within)
    edges = [*_edges_from_stored(resolver, definitions), *live.edges]
    if within is not None:
        edges = [edge for edge in edges if edge.site.file in within]
    found = FoundCallers([edge for edge in edges if edge.confidence >= min_confidence])
    found.is_cut = live.is_cut
    if not is_tallied and not is_low:
        return found
    names = names_of(named)
    leading = {edge.site for edge in edges}
    sample = [*live.unresolved, *unresolved_in_stored(resolver, names, limit=SAMPLE)]
    unresolved = len(live.unresolved) + count_unresolved(resolver, names)
    _, total = count_references(resolver, names, limit=MAX_UNRESOLVED + 1)
    found.tally = tally_with(names, leading, total, unresolved, sample)
    of_unknown = imported_from_nowhere(resolver, names, limit=MAX_RESOLVED)
    found.untargeted = [*live.untargeted, *of_unknown]
    if is_low:
        stored = unresolved_in_stored(resolver, names, limit=MAX_UNRESOLVED)
        listed = [*live.unresolved, *stored][:MAX_UNRESOLVED]
        found.is_cut = found.is_cut or unresolved > MAX_UNRESOLVED
        found.edges += _edges_by_name(listed, definitions, named)
    return found


def _edges_from_stored(resolver: BatchResolver, definitions: Sequence[Definition]) -> list[Edge]:
    """Return the stored edges to the definitions, and those to what they may override."""
    edges = stored_edges_to(resolver, [definition.key for definition in definitions])
    overridden = _overridden(resolver, definitions)
    members = {
        (*key, last_name(overriding[1])) for key, keys in overridden.items() for overriding in keys
    }
    virtual = stored_edges_through(resolver, members)
    return [*edges, *_edges_to_overrides(virtual, edges, overridden)]


class _Live(NamedTuple):
    """What is resolved for an answer beside stored edges."""

    edges: Sequence[Edge] = ()
    unresolved: Sequence[ReferenceSite] = ()
    untargeted: Sequence[ReferenceSite] = ()
    is_cut: bool = False


def _live_callers(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    further: int,
    within: Collection[int] | None,
) -> _Live:
    """Return what is found in the live files, or in those of them that are in `within`."""
    files = set(resolver.live_files or ())
    if within is not None:
        files &= set(within)
    if not files:
        return _Live()
    edges, named, is_cut = _resolved_callers(resolver, definitions, further, files, ())
    if not further:
        return _Live(edges, is_cut=is_cut)
    names = names_of(named.definitions)
    unbound = unresolved_sites(resolver, names, within=files, limit=MAX_UNRESOLVED + 1)
    unresolved = [*unresolved_among(named), *unbound]
    return _Live(edges, unresolved, _imported_from_nowhere(named), is_cut)


class _ResolvedCallers(NamedTuple):
    edges: list[Edge]
    named: NamedReferences
    is_cut: bool


def _resolved_callers(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    further: int,
    within: Collection[int] | None,
    prefetch: Sequence[ReferenceSite],
) -> _ResolvedCallers:
    """Resolve the candidates, and return the edges of those that lead to the definitions."""
    sought = _sought(resolver, definitions)
    resolved, unlikely, is_cut = _candidates(resolver, sought, further, within, prefetch)
    edges = _leading_edges(resolver, sought, resolved)
    leading = {edge.site for edge in edges}
    return _ResolvedCallers(
        edges, NamedReferences(sought.named, resolved, unlikely, leading), is_cut
    )


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
        return any(class_of(definition) for definition in self.definitions)


def _sought(resolver: BatchResolver, definitions: Sequence[Definition]) -> _Sought:
    own, below = constructed_classes(resolver, definitions)
    named = _by_other_names(own, definitions)
    return _Sought(definitions, [*definitions, *named], [*definitions, *own, *below])


def _by_other_names(
    classes: Iterable[Definition], definitions: Sequence[Definition]
) -> list[Definition]:
    """Return the classes that do not have the name of one of the definitions."""
    names = {(definition.name, definition.ecosystem) for definition in definitions}
    return [class_ for class_ in classes if (class_.name, class_.ecosystem) not in names]


def _leading_edges(
    resolver: BatchResolver,
    sought: _Sought,
    resolved: Sequence[tuple[ReferenceSite, Resolution]],
) -> list[Edge]:
    """Return the edges to the definitions that are sought."""
    overridden = _overridden(resolver, sought.definitions)
    keys = {definition.key for definition in sought.definitions}
    edges = [
        edge for site, resolution in resolved for edge in _edges(site, resolution, keys, overridden)
    ]
    if sought.has_constructors:
        to_classes = [edge for site, resolution in resolved for edge in edges_to(site, resolution)]
        made = constructor_edges(resolver, to_classes)
        edges += [edge for edge in made if edge.target in keys]
    return edges


def _edges_by_name(
    unresolved: Sequence[ReferenceSite],
    definitions: Sequence[Definition],
    named: Sequence[Definition],
) -> list[Edge]:
    """Return edges that only a name makes; those by the name of a class go to its constructor."""
    keys = {definition.key for definition in definitions}
    constructors: dict[Key, Key] = {}
    for definition in definitions:
        if owner := class_of(definition):
            constructors[owner] = definition.key
            constructors.setdefault((_ANY_FILE, owner[1]), definition.key)
    return [
        edge
        if edge.target in keys
        else edge._replace(
            target=constructors.get(edge.target) or constructors[_ANY_FILE, edge.target[1]]
        )
        for edge in edges_by_name(unresolved, named)
    ]


def _imported_from_nowhere(named: NamedReferences) -> list[ReferenceSite]:
    names = {definition.name for definition in named.definitions}
    return [
        site
        for site, resolution in named.resolved
        if site.binding == Binding.IMPORT and not resolution.targets and site.name in names
    ]


class _Candidates(NamedTuple):
    resolved: list[tuple[ReferenceSite, Resolution]]
    unlikely: Unlikely
    is_cut: bool


def _candidates(
    resolver: BatchResolver,
    sought: _Sought,
    further: int,
    within: Collection[int] | None,
    prefetch: Sequence[ReferenceSite],
) -> _Candidates:
    """Return every reference that may lead to what is sought, resolved.

    If few bear the names, all of these are resolved. Of more, those that the class hierarchy
    selects, and up to `further` of the others.
    """
    keys = {definition.key for definition in sought.leading}
    ecosystems = sorted({definition.ecosystem for definition in sought.leading})
    components = used_as(resolver, keys) if Ecosystem.NPM in ecosystems else set()
    aliases = aliases_of(resolver, keys | components)
    names = [(name, ecosystem) for name in sorted(aliases.names) for ecosystem in ecosystems]
    files = sorted({definition.file for definition in sought.leading})
    most = MAX_RESOLVED if further else MAX_UNCOUNTED
    sites = bound_sites(resolver, names, files, within=within, limit=most + 1)
    found = _Selection(sites, Unlikely(), is_cut=False)
    if len(sites) > most:
        found = _selected_by_hierarchy(resolver, sought, names, files, further, within)
    own = sorted({definition.name for definition in sought.leading})
    indexed: list[ReferenceSite] = []
    if resolver.has_indexes:
        indexed = indexed_sites(resolver, own, within=within, limit=most + 1)
    sites = distinct([*found.sites, *indexed[:most], *sites_rooted(resolver, aliases.roots)])
    may_be_held = any(name_rules(ecosystem).functions_as_values for ecosystem in ecosystems)
    held = _held_sites(resolver, sought, aliases.names, within) if may_be_held else []
    if within is not None:
        sites = [site for site in sites if site.file in within]
        held = [site for site in held if site.file in within]
    known = {site.id for site in sites}
    held = [site for site in distinct(held) if site.id not in known]
    live, owners = resolver.live_files, map(_owner, sought.definitions)
    resolver.prefetch(
        Ancestors(*owner) for owner in owners if owner and (live is None or owner[0] in live)
    )
    resolutions = resolve(resolver, [*sites, *held, *prefetch])[: len(sites) + len(held)]
    of_values = resolutions[len(sites) :]
    resolutions = resolutions[: len(sites)]
    if further:
        resolutions = with_unresolved(resolver, sites, resolutions)
    resolved = list(zip(sites, resolutions, strict=True))
    resolved += [
        resolution for resolution in zip(held, of_values, strict=True) if resolution[1].targets
    ]
    is_cut = aliases.is_cut or found.is_cut or len(indexed) > most
    return _Candidates(resolved, found.unlikely, is_cut)


def _held_sites(
    resolver: BatchResolver, sought: _Sought, names: set[str], within: Collection[int] | None
) -> list[ReferenceSite]:
    """Return references of values, and constants, that may hold what has one of the names."""
    owners = {
        owner
        for definition in sought.leading
        if last_name(definition.qualified_name) == CALL_METHOD and (owner := _owner(definition))
    }
    made: Collection[str] = ()
    if owners and within is None:
        made = hierarchy_of(resolver, owners, {Ecosystem.PYPI}).names
    found, constants = flow_sites(resolver, names, instances=made)
    if owners and within is not None:
        found = [*found, *held_sites_in(resolver, within)]
    if not constants:
        return found
    ecosystems = sorted({definition.ecosystem for definition in sought.leading})
    aliases = aliases_of(resolver, constants | used_as(resolver, constants))
    of_constants = [(name, ecosystem) for name in sorted(aliases.names) for ecosystem in ecosystems]
    files = sorted({file for file, _ in constants})
    bound = bound_sites(resolver, of_constants, files, within=within, limit=MAX_SITES + 1)
    if len(bound) > MAX_SITES:
        resolver.resolve_all([Limit(CUT_HOLDERS)])
    return [*found, *bound[:MAX_SITES], *sites_rooted(resolver, aliases.roots)]


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
    within: Collection[int] | None,
) -> _Selection:
    """Return the references whose receivers may be of the classes, and `further` others."""
    extended = extended_types(
        resolver, [(definition.key, definition.ecosystem) for definition in sought.leading]
    )
    owners = {
        owner for definition in sought.leading if (owner := _owner(definition))
    } | extended.classes
    ecosystems = {ecosystem for _, ecosystem in names}
    hierarchy = None
    if owners or extended.names:
        hierarchy = hierarchy_of(resolver, owners, ecosystems)
    query = ReferenceQuery(
        names,
        files,
        at_top=any("." not in definition.qualified_name for definition in sought.leading),
        containers=sorted(hierarchy.names | extended.names) if hierarchy else None,
    )
    sites = sites_named(resolver, query)
    if hierarchy:
        asked = sorted({name for name, _ in names})
        sites += sites_rooted(resolver, hierarchy.roots, names=asked)
    unlikely = Unlikely()
    if further:
        unlikely = read_unlikely(resolver, sought.named, query, within=within, limit=further)
        sites += unlikely.sites
    return _Selection(sites, unlikely, is_cut=hierarchy is not None and hierarchy.is_cut)


def _owner(definition: Definition) -> Key | None:
    container = definition.qualified_name.rpartition(".")[0]
    return (definition.file, container) if container else None


def _edges(
    site: ReferenceSite,
    resolution: Resolution,
    keys: set[Key],
    overridden: Mapping[Key, Sequence[Key]],
) -> list[Edge]:
    edges = edges_to(site, resolution)
    direct = [edge for edge in edges if edge.target in keys]
    return [*direct, *_edges_to_overrides(edges, direct, overridden)]


def _edges_to_overrides(
    edges: Iterable[Edge], direct: Iterable[Edge], overridden: Mapping[Key, Sequence[Key]]
) -> list[Edge]:
    """Return edges to what overrides the members that are reached through an instance."""
    known = {(edge.site.id, edge.target) for edge in direct}
    return [
        edge.to_override(target)
        for edge in edges
        if edge.definition and edge.definition.receiver and edge.site.access != Access.BASE
        for target in overridden.get(edge.definition.receiver, ())
        if (edge.site.id, target) not in known and last_name(target[1]) == last_name(edge.target[1])
    ]


def _overridden(resolver: BatchResolver, definitions: Sequence[Definition]) -> dict[Key, list[Key]]:
    """Return, for each ancestor class, the given members that may override its own."""
    owners = {definition.key: owner for definition in definitions if (owner := _owner(definition))}
    found: dict[Key, list[Key]] = {}
    for key, lineage in zip(owners, lineages(resolver, list(owners.values())), strict=True):
        for ancestor in lineage:
            found.setdefault(ancestor, []).append(key)
    return found
