"""Callers of callers, level by level."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from central.trace.backward import Edge, Found, find_callers
from central.trace.forward import Confidence
from central.trace.inquiry import Inquiry
from central.trace.symbols import Definition, definitions_at
from central.trace.things import Key

MAX_LEVEL: Final = 2_000  # definitions whose callers are looked for side by side
MAX_STEPS: Final = 200_000
CUT_CALLERS: Final = "The search for callers met a limit; ask for a definition by file."


Level: TypeAlias = dict[Key, set[int]]  # definitions, and which of those asked for led to them


class Step(NamedTuple):
    """An edge, how far it is from what was asked for, and which of the definitions that was."""

    edge: Edge
    depth: int
    target: int


@dataclass(slots=True)
class Walk:
    """What was found, and every definition that an edge begins or ends at."""

    steps: list[Step]
    first: Found  # of the first level
    definitions: dict[Key, Definition]
    cut: set[str] = field(default_factory=set)

    def take(self, edges: Iterable[Edge], depth: int, level: Level) -> None:
        """Add a level's edges, for each of the definitions that led there."""
        steps = (Step(edge, depth, target) for edge in edges for target in level[edge.target])
        self.steps += islice(steps, MAX_STEPS - len(self.steps))
        if next(steps, None):
            self.cut.add(f"Only the nearest {MAX_STEPS} callers were listed.")


def walk_callers(
    inquiry: Inquiry, definitions: Sequence[Definition], *, depth: int, least: Confidence
) -> Walk:
    """Callers up to `depth` levels; from each of `definitions`, each caller is gone on from once.

    The definitions around the last level's references are not read.
    """
    walk = Walk([], Found([]), {one.key: one for one in definitions})
    level: Level = {one.key: {index} for index, one in enumerate(definitions)}
    seen = {key: set(targets) for key, targets in level.items()}
    known: dict[Key, list[Edge]] = {}
    for number in range(1, depth + 1):
        found = _find(inquiry, walk, [key for key in level if key not in known], least)
        if number == 1:
            walk.first = found
        known |= {key: [] for key in level if key not in known}
        for edge in found.edges:
            known[edge.target].append(edge)
        edges = [edge for key in level for edge in known[key]]
        walk.take(edges, number, level)
        if number == depth or not edges:
            break
        level = _onward(inquiry, walk, edges, level, seen)
        if len(level) > MAX_LEVEL:
            walk.cut.add(f"Only {MAX_LEVEL} callers of level {number} were gone on from.")
            level = dict(islice(level.items(), MAX_LEVEL))
    return walk


def _find(inquiry: Inquiry, walk: Walk, keys: Iterable[Key], least: Confidence) -> Found:
    found = find_callers(inquiry, [walk.definitions[key] for key in keys], least=least)
    if found.is_cut:
        walk.cut.add(CUT_CALLERS)
    return found


def _onward(
    inquiry: Inquiry, walk: Walk, edges: Iterable[Edge], level: Level, seen: Level
) -> Level:
    """The definitions around a level's references, with what each has not been reached from."""
    callers: Level = {}
    for edge in edges:
        key = (edge.site.file, edge.site.caller)
        if not edge.site.caller:
            continue
        reached = seen.setdefault(key, set())
        if fresh := level[edge.target] - reached:
            reached |= fresh
            callers.setdefault(key, set()).update(fresh)
    walk.definitions |= definitions_at(inquiry, [k for k in callers if k not in walk.definitions])
    return {key: targets for key, targets in callers.items() if key in walk.definitions}
