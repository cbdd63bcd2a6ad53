"""In which layer a graph's boxes stand, and which nodes of a call graph are one box. Pure.

Sources stand to the left, targets to the right: of a call graph its callers, of the knowledge graph
the nodes from which edges go. The browser places the boxes of each layer (graph.js, with dagre).
Nodes of a file, or of a project, may be a group. A picture of few nodes has no groups. A reader
opens a group by its id.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from aeterna_code_search.contract.trace import GraphNode

TINTS: Final = 8
PICTURE_NODES: Final = 40  # of a call graph that are drawn one by one
_Levels: TypeAlias = Mapping[str, int]


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


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes of one layer of the picture; `file` is "" if they are of a whole project."""

    id: str
    project: str
    file: str
    nodes: tuple[GraphNode, ...]


def groups_of(
    nodes: Sequence[GraphNode],
    *,
    roots: Collection[str],
    levels: _Levels,
    opened: Collection[str] = (),
) -> dict[str, NodeGroup]:
    """Return the group of each node that has one, by the node's id.

    By file. While that leaves too many boxes, the project that has most of them in a layer is one,
    and by file if it is opened. `levels` are the layers of the picture. Roots stand alone.
    """
    if len(nodes) <= PICTURE_NODES:
        return {}
    others = [node for node in nodes if node.id not in roots]
    by_file = _grouped(others, levels, lambda node: node.file)
    crowded = _crowded(others, levels, by_file, PICTURE_NODES - len(nodes) + len(others))
    whole = [node for node in others if (levels[node.id], node.project) in crowded]
    by_project = _without(_grouped(whole, levels, lambda _: ""), opened)
    return _without(by_file, opened) | by_project


def _crowded(
    nodes: Sequence[GraphNode], levels: _Levels, groups: Mapping[str, NodeGroup], room: int
) -> set[tuple[int, str]]:
    """Return (level, project) of those that must be one box each, so that all find room.

    Never if there is only one: a picture of one box tells nothing.
    """
    boxes = defaultdict[tuple[int, str], set[str]](set)
    for node in nodes:
        group = groups.get(node.id)
        boxes[levels[node.id], node.project].add(group.id if group else node.id)
    count = sum(map(len, boxes.values()))
    found = set[tuple[int, str]]()
    for box in sorted(boxes, key=lambda crowd: (-len(boxes[crowd]), crowd)):
        if count <= room or len(boxes) == 1:
            break
        count -= len(boxes[box]) - 1
        found.add(box)
    return found


def _grouped(
    nodes: Sequence[GraphNode], levels: _Levels, file_of: Callable[[GraphNode], str]
) -> dict[str, NodeGroup]:
    """Return the groups that have more than one node."""
    members = defaultdict[tuple[int, str, str], list[GraphNode]](list)
    for node in nodes:
        members[levels[node.id], node.project, file_of(node)].append(node)
    found: dict[str, NodeGroup] = {}
    for (level, project, file), several in members.items():
        name = f"{level}:{project}/{file}" if file else f"{level}:{project}"
        group = NodeGroup(name, project, file, tuple(several))
        found |= {node.id: group for node in several if len(several) > 1}
    return found


def _without(groups: Mapping[str, NodeGroup], opened: Collection[str]) -> dict[str, NodeGroup]:
    return {node: group for node, group in groups.items() if group.id not in opened}
