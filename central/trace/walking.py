"""Callers of callers, level by level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from central.trace.backward import Edge, Found, find_callers
from central.trace.forward import Confidence
from central.trace.inquiry import Inquiry
from central.trace.symbols import Definition, definitions_at
from central.trace.things import Key

MAX_LEVEL: Final = 2_000  # definitions whose callers are looked for side by side
CUT_CALLERS: Final = "The search for callers met a limit; ask for a definition by file."


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

    def take(self, found: Found, depth: int, targets: Mapping[Key, int]) -> None:
        """Add a level's edges."""
        if depth == 1:
            self.first = found
        if found.is_cut:
            self.cut.add(CUT_CALLERS)
        self.steps += [Step(edge, depth, targets[edge.target]) for edge in found.edges]


def walk_callers(
    inquiry: Inquiry, definitions: Sequence[Definition], *, depth: int, least: Confidence
) -> Walk:
    """Callers up to `depth` levels; each definition is gone through once.

    The definitions around the last level's references are not read.
    """
    walk = Walk([], Found([]), {one.key: one for one in definitions})
    targets = {one.key: index for index, one in enumerate(definitions)}
    level = list(definitions)
    for number in range(1, depth + 1):
        found = find_callers(inquiry, level, least=least)
        walk.take(found, number, targets)
        if number < depth:
            level = _callers(inquiry, found, walk, targets)
        if not level:
            break
        if len(level) > MAX_LEVEL:
            walk.cut.add(f"Only {MAX_LEVEL} callers of level {number} were gone on from.")
            level = level[:MAX_LEVEL]
    return walk


def _callers(
    inquiry: Inquiry, found: Found, walk: Walk, targets: dict[Key, int]
) -> list[Definition]:
    """The definitions around a level's references that have not been gone through."""
    callers: dict[Key, int] = {}
    for edge in found.edges:
        key = (edge.site.file, edge.site.caller)
        if edge.site.caller and key not in walk.definitions:
            callers.setdefault(key, targets[edge.target])
    fresh = definitions_at(inquiry, callers)
    walk.definitions |= fresh
    targets |= {key: callers[key] for key in fresh}
    return list(fresh.values())
