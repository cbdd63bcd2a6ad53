"""References that may lead to definitions: found by their names, and each resolved."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from central.trace.resolve.definitions import Definition
from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.extensions import extended_types
from central.trace.resolve.flow_candidates import CUT_HOLDERS, MAX_SITES, flow_sites, held_sites_in
from central.trace.resolve.hierarchy import aliases_of, hierarchy_of, used_as
from central.trace.resolve.questions import Key, Limit, last_name
from central.trace.resolve.references import (
    Names,
    ReferenceQuery,
    ReferenceSite,
    bound_sites,
    indexed_sites,
    sites_named,
    sites_rooted,
    unlikely_sites,
)
from central.trace.resolve.resolve import Resolution, resolve, with_unresolved
from indexer.records.manifests import Ecosystem
from indexer.records.references import CALL_METHOD, Binding

MAX_RESOLVED: Final = 10_000  # references of the names; of more, the class hierarchy selects
MAX_UNCOUNTED: Final = 3_000  # the same limit without a tally
MAX_UNLIKELY: Final = 2_000  # references that are resolved only to be counted


@dataclass(slots=True)
class Candidates:
    """References that may lead to definitions, resolved.

    `named` are the definitions whose names count for those that are sought. Of references of the
    names whose roots suggest something else, those `beyond` a limit are not resolved, and `more`
    not read: they count as unresolved.
    """

    named: Sequence[Definition]
    resolved: list[tuple[ReferenceSite, Resolution]] = field(default_factory=list)
    beyond: Sequence[ReferenceSite] = ()
    more: int = 0
    is_cut: bool = False

    def unresolved(self) -> list[ReferenceSite]:
        """Return the references of the names that their files bind, but nothing tells to what."""
        names = set(names_of(self.named))
        found = [
            site
            for site, resolution in self.resolved
            if resolution.is_unresolved and (site.name, site.ecosystem) in names
        ]
        known = {site.id for site, _ in self.resolved}  # also by an alias
        return [*found, *(site for site in self.beyond if site.id not in known)]

    def untargeted(self) -> list[ReferenceSite]:
        """Return those that begin with an import and lead to no visible definition."""
        names = {definition.name for definition in self.named}
        return [
            site
            for site, resolution in self.resolved
            if site.binding == Binding.IMPORT and not resolution.targets and site.name in names
        ]


def names_of(definitions: Sequence[Definition]) -> list[tuple[str, str]]:
    """Return their names with their ecosystems."""
    return sorted({(definition.name, definition.ecosystem) for definition in definitions})


def owner_key(definition: Definition) -> Key | None:
    """Return what a definition is a member of."""
    container = definition.qualified_name.rpartition(".")[0]
    return (definition.file, container) if container else None


def find_candidates(
    resolver: BatchResolver,
    named: Sequence[Definition],
    leading: Sequence[Definition],
    *,
    further: int,
    within: Collection[int] | None,
) -> Candidates:
    """Return every reference that may lead to one of `leading`, resolved.

    If few bear the names, all of these are resolved. Of more, those that the class hierarchy
    selects, and up to `further` of the others. `within` restricts them to these files.
    """
    search = _Search(resolver, leading, within)
    found = Candidates(named)
    keys = {definition.key for definition in leading}
    components = used_as(resolver, keys) if Ecosystem.NPM in search.ecosystems else set()
    aliases = aliases_of(resolver, keys | components)
    most = MAX_RESOLVED if further else MAX_UNCOUNTED
    sites = search.bound(aliases.names, keys, most + 1)
    if len(sites) > most:
        sites = search.selected_by_hierarchy(aliases.names, found, further)
    if resolver.has_indexes:
        own = sorted({definition.name for definition in leading})
        indexed = indexed_sites(resolver, own, within=within, limit=most + 1)
        sites += indexed[:most]
        found.is_cut |= len(indexed) > most
    sites = search.allowed([*sites, *sites_rooted(resolver, aliases.roots)])
    known = {site.id for site in sites}
    held = [site for site in search.held(aliases.names) if site.id not in known]
    resolutions = resolve(resolver, [*sites, *held])
    of_values = zip(held, resolutions[len(sites) :], strict=True)
    resolutions = resolutions[: len(sites)]
    if further:
        resolutions = with_unresolved(resolver, sites, resolutions)
    found.resolved = [
        *zip(sites, resolutions, strict=True),
        *((site, resolution) for site, resolution in of_values if resolution.targets),
    ]
    found.is_cut |= aliases.is_cut
    return found


@dataclass(frozen=True, slots=True)
class _Search:
    resolver: BatchResolver
    leading: Sequence[Definition]
    within: Collection[int] | None

    @property
    def ecosystems(self) -> list[str]:
        return sorted({definition.ecosystem for definition in self.leading})

    def names(self, names: Iterable[str]) -> Names:
        ecosystems = self.ecosystems
        return [(name, ecosystem) for name in sorted(names) for ecosystem in ecosystems]

    def allowed(self, sites: Iterable[ReferenceSite]) -> list[ReferenceSite]:
        """Return each reference once, if it is in the files that are allowed."""
        within = self.within
        allowed = (site for site in sites if within is None or site.file in within)
        return list({site.id: site for site in allowed}.values())

    def bound(self, names: Iterable[str], keys: Iterable[Key], limit: int) -> list[ReferenceSite]:
        """Return references of these names that their files bind, also to one of the keys."""
        files = sorted({file for file, _ in keys})
        named = self.names(names)
        return bound_sites(self.resolver, named, files, within=self.within, limit=limit)

    def held(self, names: set[str]) -> list[ReferenceSite]:
        """Return references of values, and constants, that may hold what has one of the names."""
        if not any(name_rules(ecosystem).functions_as_values for ecosystem in self.ecosystems):
            return []
        resolver, within = self.resolver, self.within
        owners = {
            owner
            for definition in self.leading
            if last_name(definition.qualified_name) == CALL_METHOD
            and (owner := owner_key(definition))
        }
        made: Collection[str] = ()
        if owners and within is None:
            made = hierarchy_of(resolver, owners, {Ecosystem.PYPI}).names
        found, constants = flow_sites(resolver, names, instances=made)
        if owners and within is not None:
            found = [*found, *held_sites_in(resolver, within)]
        if constants:
            aliases = aliases_of(resolver, constants | used_as(resolver, constants))
            bound = self.bound(aliases.names, constants, MAX_SITES + 1)
            if len(bound) > MAX_SITES:
                resolver.resolve_all([Limit(CUT_HOLDERS)])
            found = [*found, *bound[:MAX_SITES], *sites_rooted(resolver, aliases.roots)]
        return self.allowed(found)

    def selected_by_hierarchy(
        self, names: Iterable[str], found: Candidates, further: int
    ) -> list[ReferenceSite]:
        """Return the references whose receivers may be of the classes, and `further` others."""
        resolver, leading = self.resolver, self.leading
        extended = extended_types(
            resolver, [(definition.key, definition.ecosystem) for definition in leading]
        )
        owners = {owner for definition in leading if (owner := owner_key(definition))}
        owners |= extended.classes
        hierarchy = None
        if owners or extended.names:
            hierarchy = hierarchy_of(resolver, owners, set(self.ecosystems))
        query = ReferenceQuery(
            self.names(names),
            sorted({definition.file for definition in leading}),
            at_top=any("." not in definition.qualified_name for definition in leading),
            containers=sorted(hierarchy.names | extended.names) if hierarchy else None,
        )
        sites = sites_named(resolver, query)
        if hierarchy:
            sites += sites_rooted(resolver, hierarchy.roots, names=sorted(names))
            found.is_cut |= hierarchy.is_cut
        if further:
            named = query._replace(names=names_of(found.named))
            unlikely, count = unlikely_sites(resolver, named, within=self.within, limit=further)
            sites += unlikely[:MAX_UNLIKELY]
            found.beyond, found.more = unlikely[MAX_UNLIKELY:], count - len(unlikely)
        return sites
