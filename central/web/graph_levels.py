"""In which layer a graph's boxes stand: sources to the left, targets to the right. Pure.

Sources of a call graph are its callers; of the knowledge graph, the nodes from which edges go. The
browser places the boxes of each layer (graph.js, with dagre).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

TINTS: Final = 8


@dataclass(frozen=True, slots=True)
class Vertex:
    """A node to be drawn, `distance` steps from the nearest root.

    `order` is that within a layer and project, `place` the line below the label.
    """

    id: str
    project: str
    distance: int
    label: str
    place: str
    order: tuple[str, int] = ("", 0)


class Arc(NamedTuple):
    """A line to be drawn between the vertices of two ids, however many edges it stands for."""

    source: str
    target: str


def levels_of(known: Mapping[str, Vertex], arcs: Sequence[Arc]) -> dict[str, int]:
    """Negative where a node leads to the root in fewer steps than the root leads to it.

    What stands inside of a node without being called is as far to the right as that node.
    """
    sources, targets = defaultdict(list), defaultdict(list)
    for arc in arcs:
        sources[arc.target].append(arc.source)
        targets[arc.source].append(arc.target)
    start = [id_ for id_, vertex in known.items() if vertex.distance == 0]
    up, down = _steps(start, sources), _steps(start, targets)
    far = len(known) + 1
    return {
        id_: -up[id_] if up.get(id_, far) < down.get(id_, far) else down.get(id_, vertex.distance)
        for id_, vertex in known.items()
    }


def _steps(start: Sequence[str], onward: Mapping[str, Sequence[str]]) -> dict[str, int]:
    steps = dict.fromkeys(start, 0)
    level = list(start)
    while level:
        found = [other for id_ in level for other in onward.get(id_, ())]
        fresh = [id_ for id_ in dict.fromkeys(found) if id_ not in steps]
        steps |= dict.fromkeys(fresh, steps[level[0]] + 1)
        level = fresh
    return steps


def tints_of(vertices: Iterable[Vertex]) -> dict[str, int]:
    """The root's project has the first; from the ninth on they begin again."""
    nearest: dict[str, int] = {}
    for vertex in vertices:
        near = nearest.get(vertex.project, vertex.distance)
        nearest[vertex.project] = min(vertex.distance, near)
    ordered = sorted(nearest, key=lambda project: (nearest[project], project))
    return {project: number % TINTS for number, project in enumerate(ordered)}
