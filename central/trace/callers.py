"""Callers of definitions, and callers of callers: from stored edges, or candidates by name."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Final, TypeAlias

from aeterna_code_search.contract.trace import Confidence
from central.trace.candidates import (
    MAX_RESOLVED,
    MAX_UNLIKELY,
    Candidates,
    find_candidates,
    names_of,
    owner_key,
)
from central.trace.edges import (
    MAX_UNRESOLVED,
    SAMPLE,
    Edge,
    FoundEdges,
    Step,
    Tally,
    class_of,
    classes_below,
    classes_of,
    constructor_edges,
    edges_by_name,
    edges_to,
)
from central.trace.imports import edges_from_imports
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.import_sites import IMPORT
from central.trace.resolve.questions import Key, Limit, last_name
from central.trace.resolve.references import (
    ReferenceSite,
    count_references,
    indexed_sites,
    unresolved_sites,
)
from central.trace.resolve.resolve import Resolution, resolve
from central.trace.stored.hierarchy import lineages
from central.trace.stored.rows import (
    count_unresolved,
    imported_from_nowhere,
    stored_edges_through,
    stored_edges_to,
    unresolved_in_stored,
)
from indexer.records.references import Access, ReferenceKind

MAX_LEVEL: Final = 2_000  # definitions whose callers are searched together
MAX_STEPS: Final = 200_000
_ANY_FILE: Final = 0  # a part of a class may stand in another file than its constructor
CUT_CALLERS: Final = "The search for callers met a limit; ask for a definition by file."

_Overridden: TypeAlias = Mapping[Key, Sequence[Key]]
_Level: TypeAlias = dict[Key, set[int]]  # definitions, with the requested ones that led to them


def find_callers(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    *,
    min_confidence: Confidence,
    is_tallied: bool = True,
    within: Collection[int] | None = None,
) -> FoundEdges:
    """Return edges to the definitions with at least this confidence.

    Those in `live_files` are resolved, those in other files are stored. LOW includes references
    that share only the name, up to MAX_UNRESOLVED. Unless `is_tallied`, the others are not counted.
    With `within`, references in other files may be left out.
    """
    if not definitions:
        return FoundEdges()
    is_low = min_confidence is Confidence.LOW
    is_tallied = is_tallied or is_low
    files = _files_to_resolve(resolver, within)
    candidates = _candidates(resolver, definitions, files, is_tallied=is_tallied, is_low=is_low)
    overridden = _overridden(resolver, definitions)
    edges: list[Edge] = []
    if resolver.live_files is not None:
        edges = _stored_edges(resolver, definitions, overridden, within)
    edges += _resolved_edges(resolver, definitions, overridden, candidates.resolved)
    found = FoundEdges([edge for edge in edges if edge.confidence >= min_confidence])
    found.is_cut = candidates.is_cut
    if is_tallied:
        leading = {edge.site for edge in edges}
        unresolved = _count_others(resolver, found, candidates, files, leading, is_listed=is_low)
        if is_low:
            found.edges += _edges_by_name(unresolved, definitions, candidates.named)
    return found


def _files_to_resolve(
    resolver: BatchResolver, within: Collection[int] | None
) -> Collection[int] | None:
    """Return the files whose references are resolved; None if any may be."""
    live = resolver.live_files
    if live is None or within is None:
        return within if live is None else live
    return set(live).intersection(within)


def _candidates(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    files: Collection[int] | None,
    *,
    is_tallied: bool,
    is_low: bool,
) -> Candidates:
    """Return the references in these files that may lead to the definitions, resolved.

    A constructor is called by the name of its class, or of one below it.
    """
    classes = classes_of(resolver, definitions)
    names = {(definition.name, definition.ecosystem) for definition in definitions}
    others = [class_ for class_ in classes if (class_.name, class_.ecosystem) not in names]
    named = [*definitions, *others]
    if files is not None and not files:
        return Candidates(named)
    are_few = resolver.live_files is None and not is_low
    further = MAX_UNLIKELY if are_few else MAX_UNRESOLVED + 1
    leading = [*definitions, *classes, *classes_below(resolver, definitions)]
    return find_candidates(
        resolver, named, leading, further=further if is_tallied else 0, within=files
    )


def _stored_edges(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    overridden: _Overridden,
    within: Collection[int] | None,
) -> list[Edge]:
    """Return the stored edges to the definitions, and those to what they may override."""
    edges = stored_edges_to(resolver, [definition.key for definition in definitions])
    members = {
        (*key, last_name(overriding[1])) for key, keys in overridden.items() for overriding in keys
    }
    virtual = stored_edges_through(resolver, members)
    edges += _edges_to_overrides(virtual, edges, overridden)
    return [edge for edge in edges if within is None or edge.site.file in within]


def _resolved_edges(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    overridden: _Overridden,
    resolved: Iterable[tuple[ReferenceSite, Resolution]],
) -> list[Edge]:
    """Return the edges to the definitions of those references that lead there."""
    keys = {definition.key for definition in definitions}
    edges: list[Edge] = []
    possible: list[Edge] = []
    for site, resolution in resolved:
        meant = edges_to(site, resolution)
        direct = [edge for edge in meant if edge.target in keys]
        edges += [*direct, *_edges_to_overrides(meant, direct, overridden)]
        possible += meant
    if any(map(class_of, definitions)):
        edges += [edge for edge in constructor_edges(resolver, possible) if edge.target in keys]
    return edges


def _edges_to_overrides(
    edges: Iterable[Edge], direct: Iterable[Edge], overridden: _Overridden
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


def _overridden(resolver: BatchResolver, definitions: Sequence[Definition]) -> _Overridden:
    """Return, for each ancestor class, the given members that may override its own."""
    owners = {
        definition.key: owner for definition in definitions if (owner := owner_key(definition))
    }
    found: dict[Key, list[Key]] = {}
    for key, lineage in zip(owners, lineages(resolver, list(owners.values())), strict=True):
        for ancestor in lineage:
            found.setdefault(ancestor, []).append(key)
    return found


def _count_others(
    resolver: BatchResolver,
    found: FoundEdges,
    candidates: Candidates,
    files: Collection[int] | None,
    leading: Iterable[ReferenceSite],
    *,
    is_listed: bool,
) -> list[ReferenceSite]:
    """Tally the references of the names that do not lead to the definitions.

    Return the unresolved ones: up to MAX_UNRESOLVED if these are listed, else a sample.
    """
    names = names_of(candidates.named)
    most = MAX_UNRESOLVED + 1
    unresolved, found.untargeted = candidates.unresolved(), candidates.untargeted()
    unbound, total = count_references(resolver, names, limit=most)
    read = partial(unresolved_sites, resolver, names, within=None)
    if resolver.live_files is not None:
        if files:
            unresolved += unresolved_sites(resolver, names, within=files, limit=most)
        unbound = count_unresolved(resolver, names)
        read = partial(unresolved_in_stored, resolver, names)
        found.untargeted += imported_from_nowhere(resolver, names, limit=MAX_RESOLVED)
    count = len(unresolved) + candidates.more + unbound
    room = most if is_listed else SAMPLE - len(unresolved)
    if unbound and room > 0:
        unresolved += read(limit=room)
    listed = sum((site.name, site.ecosystem) in names for site in leading)
    found.tally = Tally(
        unresolved=min(count, most),
        unresolved_sample=unresolved[:SAMPLE],
        elsewhere=max(min(total, MAX_UNRESOLVED) - listed - count, 0),
        is_more_elsewhere=total > MAX_UNRESOLVED,
    )
    found.is_cut |= is_listed and count > MAX_UNRESOLVED
    return unresolved[:MAX_UNRESOLVED]


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


@dataclass(slots=True)
class CallerTraversal:
    """The steps found, and every definition at an end of an edge."""

    steps: list[Step]
    first: FoundEdges  # of the first level
    definitions: dict[Key, Definition]
    cut: set[str] = field(default_factory=set)

    def take(self, edges: Iterable[Edge], depth: int, level: _Level) -> None:
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
    traversal = CallerTraversal(
        [], FoundEdges(), {definition.key: definition for definition in definitions}
    )
    level: _Level = {definition.key: {index} for index, definition in enumerate(definitions)}
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
            traversal.cut.add(f"Only {MAX_LEVEL} callers of level {number} were expanded.")
            level = dict(islice(level.items(), MAX_LEVEL))
    return traversal


def _of_kinds(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    edges: Sequence[Edge],
    kinds: Collection[str],
    min_confidence: Confidence,
) -> list[Edge]:
    """Return the edges of these kinds, with imports and types if they are asked for."""
    if IMPORT in kinds:
        imports = edges_from_imports(resolver, definitions, min_confidence=min_confidence)
        edges = [*edges, *imports]
    if ReferenceKind.TYPE in kinds:
        edges = [*edges, *type_uses(resolver, definitions, min_confidence=min_confidence)]
    return [edge for edge in edges if not kinds or edge.site.kind in kinds]


def _next_level(
    resolver: BatchResolver,
    traversal: CallerTraversal,
    edges: Iterable[Edge],
    level: _Level,
    seen: _Level,
) -> _Level:
    """Return the next level: callers with the requested definitions that reach them first here."""
    callers: _Level = {}
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
