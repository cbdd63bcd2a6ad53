"""Callers of callers: the levels of a search for callers, each searched at once."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeAlias

from aeterna_code_search.contract.trace import Confidence
from central.trace.callers import CUT_CALLERS, FoundCallers, find_callers, type_uses
from central.trace.edges import Edge, Step, is_of_kind
from central.trace.imports import edges_from_imports
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.import_sites import IMPORT
from central.trace.resolve.questions import Key
from indexer.records.references import ReferenceKind

MAX_LEVEL: Final = 2_000  # definitions whose callers are searched together
MAX_STEPS: Final = 200_000

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
    traversal = CallerTraversal(
        [], FoundCallers([]), {definition.key: definition for definition in definitions}
    )
    level: Level = {definition.key: {index} for index, definition in enumerate(definitions)}
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
