"""Where a call graph's boxes and lines are drawn: callers to the left, callees to the right. Pure.

Layers are steps from the root; in each, boxes stand by project and then by the middle of their
neighbours (Sugiyama's barycentre), so that few lines cross. No library: networkx's layouts know
neither the size of a box nor crossings, and graphviz is a program of the system.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from central.web.graph_text import columns, shortened

if TYPE_CHECKING:
    from central.trace.answers import GraphEdge, GraphNode

WIDTH: Final = 212
HEIGHT: Final = 44
_MARGIN: Final = 24
_LAYER_STEP: Final = WIDTH + 112
_ROW_GAP: Final = 12
_GROUP_GAP: Final = 12  # beside the gap between rows, where another project begins
_SWEEPS: Final = 6
_COLUMNS: Final = 24  # of a label, in characters as wide as a digit
_SMALL_COLUMNS: Final = 28  # of the line below it
TINTS: Final = 8


@dataclass(frozen=True, slots=True)
class Box:
    """A node with its place; `x` and `y` are of the upper left corner, `tint` 0 to TINTS - 1."""

    node: "GraphNode"
    layer: int
    x: int
    y: int
    label: str
    place: str
    tint: int
    is_root: bool

    @property
    def middle(self) -> int:
        """Where lines meet it."""
        return self.y + HEIGHT // 2

    @property
    def right(self) -> int:
        """Its right side."""
        return self.x + WIDTH


@dataclass(frozen=True, slots=True)
class Line:
    """An edge as a cubic curve from its caller's side to its callee's; the indices are of boxes."""

    edge: "GraphEdge"
    caller: int
    callee: int
    points: tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]

    @property
    def path(self) -> str:
        """As the attribute `d` of SVG's path."""
        start, one, two, end = (f"{x} {y}" for x, y in self.points)
        return f"M{start} C{one}, {two}, {end}"


@dataclass(frozen=True, slots=True)
class Picture:
    """All of a graph; `projects` are its nodes' with their tints, as the legend has them."""

    width: int
    height: int
    boxes: list[Box]
    lines: list[Line]
    projects: list[tuple[str, int]]


def picture_of(
    nodes: Sequence["GraphNode"], edges: Sequence["GraphEdge"], roots: Iterable[str]
) -> Picture:
    """Lay a graph out. The same graph gives the same picture, in whatever order it comes.

    Edges to nodes that are not among `nodes` are left out.
    """
    known = {node.id: node for node in nodes}
    joined = sorted(
        (edge for edge in edges if edge.caller in known and edge.callee in known),
        key=lambda edge: (edge.caller, edge.callee),
    )
    levels = _levels(known, joined)
    layers = _ordered(known, joined, levels)
    tints = _tints(nodes)
    boxes = _boxes(known, layers, tints, frozenset(roots))
    index = {box.node.id: number for number, box in enumerate(boxes)}
    lines = [
        Line(edge, index[edge.caller], index[edge.callee], points)
        for edge in joined
        for points in [_curve(boxes[index[edge.caller]], boxes[index[edge.callee]])]
    ]
    return Picture(
        width=max((box.right for box in boxes), default=0) + _MARGIN,
        height=max((box.y + HEIGHT for box in boxes), default=0) + _MARGIN,
        boxes=boxes,
        lines=lines,
        projects=list(tints.items()),
    )


def _levels(known: Mapping[str, "GraphNode"], edges: Sequence["GraphEdge"]) -> dict[str, int]:
    """Negative where a node leads to the root in fewer steps than the root leads to it.

    What stands inside of a node without being called is as far to the right as that node.
    """
    callers, callees = defaultdict(list), defaultdict(list)
    for edge in edges:
        callers[edge.callee].append(edge.caller)
        callees[edge.caller].append(edge.callee)
    start = [one for one, node in known.items() if node.distance == 0]
    up, down = _steps(start, callers), _steps(start, callees)
    far = len(known) + 1
    return {
        one: -up[one] if up.get(one, far) < down.get(one, far) else down.get(one, node.distance)
        for one, node in known.items()
    }


def _steps(start: Sequence[str], onward: Mapping[str, Sequence[str]]) -> dict[str, int]:
    steps = dict.fromkeys(start, 0)
    level = list(start)
    while level:
        found = [other for one in level for other in onward.get(one, ())]
        fresh = [one for one in dict.fromkeys(found) if one not in steps]
        steps |= dict.fromkeys(fresh, steps[level[0]] + 1)
        level = fresh
    return steps


def _ordered(
    known: Mapping[str, "GraphNode"], edges: Sequence["GraphEdge"], levels: Mapping[str, int]
) -> list[list[str]]:
    """The layers from left to right, each from top to bottom."""
    layers: dict[int, list[str]] = defaultdict(list)
    in_order = sorted(known.values(), key=lambda one: (one.project, one.file, one.line, one.id))
    for node in in_order:
        layers[levels[node.id]].append(node.id)
    ordered = [layers[level] for level in sorted(layers)]
    neighbours = defaultdict(list)
    for edge in edges:
        neighbours[edge.caller].append(edge.callee)
        neighbours[edge.callee].append(edge.caller)
    height = {one: row for layer in ordered for one, row in _rows(layer).items()}
    for sweep in range(_SWEEPS):
        for layer in ordered if sweep % 2 == 0 else reversed(ordered):
            _sort(layer, known, neighbours, height)
            height |= _rows(layer)
    return ordered


def _rows(layer: Sequence[str]) -> dict[str, float]:
    """How far each is from its layer's middle, in rows."""
    middle = (len(layer) - 1) / 2
    return {one: row - middle for row, one in enumerate(layer)}


def _sort(
    layer: list[str],
    known: Mapping[str, "GraphNode"],
    neighbours: Mapping[str, Sequence[str]],
    height: Mapping[str, float],
) -> None:
    """By the middle of the neighbours' rows, projects together."""
    middles = {
        one: _mean([height[o] for o in neighbours.get(one, ())], height[one]) for one in layer
    }
    members = defaultdict(list)
    for one in layer:
        members[known[one].project].append(middles[one])
    groups = {project: _mean(rows, 0.0) for project, rows in members.items()}
    layer.sort(
        key=lambda one: (groups[known[one].project], known[one].project, middles[one], height[one])
    )


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _tints(nodes: Iterable["GraphNode"]) -> dict[str, int]:
    """The root's project has the first; from the ninth on they begin again."""
    nearest: dict[str, int] = {}
    for node in nodes:
        nearest[node.project] = min(node.distance, nearest.get(node.project, node.distance))
    ordered = sorted(nearest, key=lambda project: (nearest[project], project))
    return {project: number % TINTS for number, project in enumerate(ordered)}


def _boxes(
    known: Mapping[str, "GraphNode"],
    layers: Sequence[Sequence[str]],
    tints: Mapping[str, int],
    roots: frozenset[str],
) -> list[Box]:
    offsets = [_offsets([known[one].project for one in layer]) for layer in layers]
    tallest = max((rows[-1] for rows in offsets), default=0)
    return [
        Box(
            node=node,
            layer=number,
            x=_MARGIN + number * _LAYER_STEP,
            y=_MARGIN + (tallest - rows[-1]) // 2 + offset,
            label=shortened(node.qualified_name or _file_name(node), _COLUMNS),
            place=_place(node),
            tint=tints[node.project],
            is_root=one in roots,
        )
        for number, (layer, rows) in enumerate(zip(layers, offsets, strict=True))
        for one, offset in zip(layer, rows, strict=True)
        for node in [known[one]]
    ]


def _place(node: "GraphNode") -> str:
    """Project and file; of what is too long the project stays, and the file's name as it fits."""
    whole = f"{node.project}/{node.file}"
    if columns(whole) <= _SMALL_COLUMNS:
        return whole
    return shortened(f"{node.project}/…/{_file_name(node)}", _SMALL_COLUMNS)


def _file_name(node: "GraphNode") -> str:
    return node.file.rpartition("/")[2]


def _offsets(projects: Sequence[str]) -> list[int]:
    """How far below a layer's first box each of its boxes begins."""
    offsets, offset = [], 0
    for number, project in enumerate(projects):
        if number:
            offset += HEIGHT + _ROW_GAP
            offset += _GROUP_GAP if project != projects[number - 1] else 0
        offsets.append(offset)
    return offsets


def _curve(
    caller: Box, callee: Box
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Forward from right to left; back, and within a layer, by the lower halves of the sides."""
    below = HEIGHT // 4
    if caller.layer < callee.layer:
        bend = (callee.x - caller.right) // 2
        start, end = (caller.right, caller.middle), (callee.x, callee.middle)
    elif caller.layer > callee.layer:
        bend = (callee.right - caller.x) // 2
        start, end = (caller.x, caller.middle + below), (callee.right, callee.middle + below)
    else:
        bend = (_LAYER_STEP - WIDTH) // 2
        start, end = (caller.right, caller.middle + below), (callee.right, callee.middle - below)
        return start, (start[0] + bend, start[1]), (end[0] + bend, end[1]), end
    return start, (start[0] + bend, start[1]), (end[0] - bend, end[1]), end
