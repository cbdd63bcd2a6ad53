"""Callers of a definition: candidates by name, each resolved, and callers of callers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from central.trace.edges import Edge, Step, edges_by_name, edges_to, is_of_kind
from central.trace.imports import edges_from_imports
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.hierarchy import aliases_of, candidates, hierarchy_of
from central.trace.resolve.import_sites import IMPORT
from central.trace.resolve.questions import Ancestors, Key, last_name
from central.trace.resolve.references import ReferenceQuery, ReferenceSite
from central.trace.resolve.resolve import Confidence, Resolution
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
from indexer.records.references import Access


@dataclass(slots=True)
class FoundCallers:
    """Edges from the callers, and the other references of the same name."""

    edges: list[Edge]
    tally: Tally = field(default_factory=Tally)
    is_cut: bool = False


def find_callers(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    *,
    min_confidence: Confidence,
    is_tallied: bool = True,
) -> FoundCallers:
    """Return edges to the definitions with at least this confidence.

    LOW includes references that share only the name, up to MAX_UNRESOLVED. Unless `is_tallied`,
    the others are not counted.
    """
    if not definitions:
        return FoundCallers([])
    is_low = min_confidence is Confidence.LOW
    further = MAX_UNRESOLVED + 1 if is_low else MAX_UNLIKELY if is_tallied else 0
    resolved, unlikely, is_cut = _candidates(resolver, definitions, further)
    overridden = _overridden(resolver, definitions)
    keys = {one.key for one in definitions}
    edges = [
        edge for site, resolution in resolved for edge in _edges(site, resolution, keys, overridden)
    ]
    found = FoundCallers([one for one in edges if one.confidence >= min_confidence], is_cut=is_cut)
    named = NamedReferences(definitions, resolved, unlikely, {edge.site for edge in edges})
    if is_low:
        found.tally, unresolved = tally_with_unresolved(resolver, named)
        found.is_cut = is_cut or found.tally.unresolved > MAX_UNRESOLVED
        found.edges += edges_by_name(unresolved, definitions)
    elif is_tallied:
        found.tally = tally_of(resolver, named)
    return found


class _Candidates(NamedTuple):
    resolved: list[tuple[ReferenceSite, Resolution]]
    unlikely: Unlikely
    is_cut: bool


def _candidates(
    resolver: BatchResolver, definitions: Sequence[Definition], further: int
) -> _Candidates:
    """Return every reference that may lead to one of the definitions, resolved.

    And up to `further` ones that bear their names and lead elsewhere.
    """
    aliases = aliases_of(resolver, [one.key for one in definitions])
    owners = {owner for one in definitions if (owner := _owner(one))}
    hierarchy = hierarchy_of(resolver, owners) if owners else None
    ecosystems = sorted({one.ecosystem for one in definitions})
    query = ReferenceQuery(
        names=[(name, one) for name in sorted(aliases.names) for one in ecosystems],
        files=sorted({one.file for one in definitions}),
        at_top=any("." not in one.qualified_name for one in definitions),
        containers=sorted(hierarchy.names) if hierarchy else None,
    )
    unlikely = Unlikely()
    if further:
        unlikely = read_unlikely(resolver, definitions, query, limit=further)
    resolved = candidates(resolver, query, aliases.roots, hierarchy, unlikely.sites)
    is_cut = aliases.is_cut or (hierarchy is not None and hierarchy.is_cut)
    return _Candidates(resolved, unlikely, is_cut)


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


def _overridden(resolver: BatchResolver, definitions: Sequence[Definition]) -> dict[Key, list[Key]]:
    """Return, for each ancestor class, the given members that may override its own."""
    owners = {one.key: owner for one in definitions if (owner := _owner(one))}
    lineages = resolver.resolve_all([Ancestors(*owner) for owner in owners.values()])
    found: dict[Key, list[Key]] = {}
    for key, lineage in zip(owners, lineages, strict=True):
        for ancestor in lineage:
            found.setdefault(ancestor.key, []).append(key)
    return found


MAX_LEVEL: Final = 2_000  # definitions whose callers are searched together
MAX_STEPS: Final = 200_000
CUT_CALLERS: Final = "The search for callers met a limit; ask for a definition by file."


Level: TypeAlias = dict[Key, set[int]]  # definitions, with the requested ones that led to them


@dataclass(slots=True)
class CallerTraversal:
    """The steps found, and every definition at an end of an edge."""

    steps: list[Step]
    first: FoundCallers  # of the first level
    definitions: dict[Key, Definition]
    cut: set[str] = field(default_factory=set)

    def take(self, edges: Iterable[Edge], depth: int, level: Level) -> None:
        """Add a level's edges, for each of the definitions that led there."""
        steps = (Step(edge, depth, target) for edge in edges for target in level[edge.target])
        self.steps += islice(steps, MAX_STEPS - len(self.steps))
        if next(steps, None):
            self.cut.add(f"Only the nearest {MAX_STEPS} callers were listed.")


def transitive_callers(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    *,
    depth: int,
    min_confidence: Confidence,
    kinds: Collection[str] = (),
) -> CallerTraversal:
    """Return callers up to `depth` levels; each is expanded once for each of `definitions`.

    Only uses of these kinds are followed, if any are given; the tally is of all. Imports are no
    references: they are found only for their kind.
    The definitions around the last level's references are not read.
    """
    traversal = CallerTraversal([], FoundCallers([]), {one.key: one for one in definitions})
    level: Level = {one.key: {index} for index, one in enumerate(definitions)}
    seen = {key: set(targets) for key, targets in level.items()}
    known: dict[Key, list[Edge]] = {}
    for number in range(1, depth + 1):
        fresh = [key for key in level if key not in known]
        starts = [traversal.definitions[key] for key in fresh]
        found = find_callers(
            resolver, starts, min_confidence=min_confidence, is_tallied=number == 1
        )
        if found.is_cut:
            traversal.cut.add(CUT_CALLERS)
        if number == 1:
            traversal.first = found
        known |= {key: [] for key in fresh}
        for edge in _of_kinds(resolver, starts, found.edges, kinds, min_confidence):
            known[edge.target].append(edge)
        edges = [edge for key in level for edge in known[key]]
        traversal.take(edges, number, level)
        if number == depth or not edges:
            break
        level = _next_level(resolver, traversal, edges, level, seen)
        if len(level) > MAX_LEVEL:
            traversal.cut.add(f"Only {MAX_LEVEL} callers of level {number} were gone on from.")
            level = dict(islice(level.items(), MAX_LEVEL))
    return traversal


def _of_kinds(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    edges: Sequence[Edge],
    kinds: Collection[str],
    min_confidence: Confidence,
) -> list[Edge]:
    """Return the edges of these kinds, with those from imports if they are asked for."""
    if IMPORT in kinds:
        imports = edges_from_imports(resolver, definitions, min_confidence=min_confidence)
        edges = [*edges, *imports]
    return [edge for edge in edges if is_of_kind(edge, kinds)]


def _next_level(
    resolver: BatchResolver,
    traversal: CallerTraversal,
    edges: Iterable[Edge],
    level: Level,
    seen: Level,
) -> Level:
    """Return the next level: callers with the requested definitions that reach them first here."""
    callers: Level = {}
    for edge in edges:
        key = (edge.site.file, edge.site.caller)
        if not edge.site.caller:
            continue
        reached = seen.setdefault(key, set())
        if fresh := level[edge.target] - reached:
            reached |= fresh
            callers.setdefault(key, set()).update(fresh)
    traversal.definitions |= definitions_at(
        resolver, [k for k in callers if k not in traversal.definitions]
    )
    return {key: targets for key, targets in callers.items() if key in traversal.definitions}
