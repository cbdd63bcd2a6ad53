"""Callees of a definition, and the overriding methods that a call may reach."""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Final

from aeterna_code_search.contract.trace import Confidence
from central.trace.edges import Edge, FoundEdges, Tally, constructor_edges, edges_to
from central.trace.resolve.definitions import overriding_members
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Ancestors, Key, Limit, enclosing_names, last_name
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.resolve import resolve, with_unresolved
from central.trace.resolve.sql import SameScopeDefinitions
from central.trace.stored.hierarchy import overriding_classes
from central.trace.stored.rows import Outgoing, stored_edges_from
from indexer.records.references import Access, ReferenceKind

MAX_OVERRIDING: Final = 10_000  # classes with members of the names that are called
CUT_OVERRIDES: Final = (
    f"Overriding methods were looked for in {MAX_OVERRIDING:,} classes; there are more with a "
    "method of such a name."
)


def override_edges(resolver: BatchResolver, edges: Sequence[Edge]) -> list[Edge]:
    """Return edges to the overrides of each member that is reached through an instance."""
    virtual = [
        (edge, edge.definition.receiver)
        for edge in edges
        if edge.definition and edge.definition.receiver and edge.site.access != Access.BASE
    ]
    subclasses = _overriding(
        resolver, {(receiver, last_name(edge.target[1])) for edge, receiver in virtual}
    )
    asked = [
        (edge, SameScopeDefinitions(file, f"{name}.{member}"))
        for edge, receiver in virtual
        for member in [last_name(edge.target[1])]
        for file, name in subclasses.get((receiver, member), ())
    ]
    answers = resolver.resolve_all([near for _, near in asked])
    found: dict[tuple[int, Key], Edge] = {}
    direct = {(edge.site.id, edge.target) for edge in edges}
    for (edge, near), rows in zip(asked, answers, strict=True):
        for row in rows:
            key = (edge.site.id, (row.file, near.name))
            if key not in direct and row.kind:
                found[key] = edge.to_override(key[1])
    return list(found.values())


def _overriding(
    resolver: BatchResolver, wanted: Collection[tuple[Key, str]]
) -> Mapping[tuple[Key, str], Sequence[Key]]:
    """Return, for classes and names of members, the classes below that define such a member."""
    found: dict[tuple[Key, str], list[Key]] = defaultdict(list)
    if resolver.live_files is not None:
        stored = overriding_classes(resolver, wanted, limit=MAX_OVERRIDING + 1)
        if len(stored) > MAX_OVERRIDING:
            resolver.resolve_all([Limit(CUT_OVERRIDES)])
        for receiver, member, subclasses in stored[:MAX_OVERRIDING]:
            found[receiver, member].append(subclasses)
        return found
    members = overriding_members(resolver, {member for _, member in wanted})
    below = _below(resolver, {key for keys in members.values() for key in keys})
    for receiver, member in wanted:
        for file, name in below.get(receiver, ()):
            if (file, f"{name}.{member}") in members[member]:
                found[receiver, member].append((file, name))
    return found


def _below(resolver: BatchResolver, members: Iterable[Key]) -> Mapping[Key, list[Key]]:
    """Return for each class those of the members' classes that inherit from it."""
    owners = sorted({(file, name.rpartition(".")[0]) for file, name in members})
    if len(owners) > MAX_OVERRIDING:
        resolver.resolve_all([Limit(CUT_OVERRIDES)])
        del owners[MAX_OVERRIDING:]
    answers = resolver.resolve_all([Ancestors(*definition) for definition in owners])
    below: dict[Key, list[Key]] = defaultdict(list)
    for owner, lineage in zip(owners, answers, strict=True):
        for ancestor in lineage:
            below[ancestor.key].append(owner)
    return below


def find_callees(
    resolver: BatchResolver,
    sites: Sequence[ReferenceSite],
    *,
    min_confidence: Confidence,
    is_tallied: bool = True,
) -> FoundEdges:
    """Return edges from these references with at least this confidence, those to overrides last.

    Unless `is_tallied`, the references that lead to no visible definition are not counted.
    """
    found = _outgoing(resolver, sites, is_tallied=is_tallied)
    edges = [*found.edges, *override_edges(resolver, found.edges)]
    return FoundEdges(
        [edge for edge in edges if edge.confidence >= min_confidence],
        Tally(len(found.unresolved), found.unresolved, len(found.elsewhere)),
        [*found.unresolved, *found.elsewhere],
    )


def written_edges(resolver: BatchResolver, sites: Sequence[ReferenceSite]) -> list[Edge]:
    """Return edges from these references to what they mean, without overrides of it."""
    return _outgoing(resolver, sites, is_tallied=False).edges


def _outgoing(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], *, is_tallied: bool
) -> Outgoing:
    """Return where references lead, without overrides: as it is stored, or else resolved.

    What is said of types is not stored.
    """
    live = resolver.live_files
    resolved, stored = list[ReferenceSite](), list[ReferenceSite]()
    for site in sites:
        is_live = live is None or site.file in live or site.kind == ReferenceKind.TYPE
        (resolved if is_live else stored).append(site)
    found = stored_edges_from(resolver, stored)
    resolutions = resolve(resolver, resolved)
    pairs = zip(resolved, resolutions, strict=True)
    edges = [edge for site, resolution in pairs for edge in edges_to(site, resolution)]
    if is_tallied:
        resolutions = with_unresolved(resolver, resolved, resolutions)
        for site, meaning in zip(resolved, resolutions, strict=True):
            if not meaning.targets:
                (found.unresolved if meaning.is_unresolved else found.elsewhere).append(site)
    return found._replace(edges=[*found.edges, *edges, *constructor_edges(resolver, edges)])


def enclosing_definition(site: ReferenceSite, definitions: Container[Key]) -> Key:
    """Return the innermost of the definitions around a reference; one of them is."""
    around = ((site.file, name) for name in enclosing_names(site.caller))
    return next(key for key in around if key in definitions)
