"""Where a graph's boxes and lines are drawn: sources to the left, targets to the right. Pure.

Sources of a call graph are its callers; of the knowledge graph, the nodes from which edges go.

Layers are steps from the root; in each, boxes stand by project and then by the middle of their
neighbours (Sugiyama's barycentre), so that few lines cross. No library: networkx's layouts know
neither the size of a box nor crossings, and graphviz is a program of the system.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from central.web.plain_text import shortened

WIDTH: Final = 212
HEIGHT: Final = 44
_MARGIN: Final = 24
_LAYER_STEP: Final = WIDTH + 112
_ROW_GAP: Final = 12
_GROUP_GAP: Final = 12  # beside the gap between rows, where another project begins
_SWEEPS: Final = 6
_COLUMNS: Final = 24  # of a label, in characters as wide as a digit
SMALL_COLUMNS: Final = 28  # of the line below it
TINTS: Final = 8


@dataclass(frozen=True, slots=True)
class Vertex:
    """A node to be drawn, `distance` steps from the nearest root.

    `order` decides between vertices of a project whose neighbours decide nothing. `place` is the
    line below the label.
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


@dataclass(frozen=True, slots=True)
class Box:
    """A vertex with its place; `x` and `y` are of the upper left corner, `tint` 0 to TINTS - 1."""

    vertex: Vertex
    layer: int
    x: int
    y: int
    label: str
    place: str
    tint: int
    is_root: bool

    @property
    def middle(self) -> int:
        return self.y + HEIGHT // 2

    @property
    def right(self) -> int:
        return self.x + WIDTH


@dataclass(frozen=True, slots=True)
class Line:
    """An arc as a cubic curve from its source's side to its target's; the indices are of boxes."""

    arc: Arc
    source: int
    target: int
    points: tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]

    @property
    def path(self) -> str:
        """As the attribute `d` of SVG's path."""
        start, near_start, near_end, end = (f"{x} {y}" for x, y in self.points)
        return f"M{start} C{near_start}, {near_end}, {end}"

    @property
    def middle(self) -> tuple[int, int]:
        """The point half way along the curve."""
        xs, ys = zip(*self.points, strict=True)
        return _half_way(xs), _half_way(ys)


@dataclass(frozen=True, slots=True)
class Picture:
    """All of a graph; `projects` are its vertices' with their tints, as the legend has them."""

    width: int
    height: int
    boxes: list[Box]
    lines: list[Line]
    projects: list[tuple[str, int]]


def picture_of(vertices: Sequence[Vertex], arcs: Iterable[Arc], roots: Iterable[str]) -> Picture:
    """Lay a graph out. The same graph gives the same picture, in whatever order it comes.

    Arcs to what is not among `vertices` are left out.
    """
    known = {vertex.id: vertex for vertex in vertices}
    joined = sorted(arc for arc in arcs if arc.source in known and arc.target in known)
    levels = levels_of(known, joined)
    layers = _ordered(known, joined, levels)
    tints = _tints(vertices)
    boxes = _boxes(known, layers, tints, frozenset(roots))
    index = {box.vertex.id: number for number, box in enumerate(boxes)}
    lines = [
        Line(arc, index[arc.source], index[arc.target], points)
        for arc in joined
        for points in [_curve(boxes[index[arc.source]], boxes[index[arc.target]])]
    ]
    return Picture(
        width=max((box.right for box in boxes), default=0) + _MARGIN,
        height=max((box.y + HEIGHT for box in boxes), default=0) + _MARGIN,
        boxes=boxes,
        lines=lines,
        projects=list(tints.items()),
    )


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


def _ordered(
    known: Mapping[str, Vertex], arcs: Sequence[Arc], levels: Mapping[str, int]
) -> list[list[str]]:
    """The layers from left to right, each from top to bottom."""
    layers: dict[int, list[str]] = defaultdict(list)
    in_order = sorted(known.values(), key=lambda vertex: (vertex.project, vertex.order, vertex.id))
    for vertex in in_order:
        layers[levels[vertex.id]].append(vertex.id)
    ordered = [layers[level] for level in sorted(layers)]
    neighbours = defaultdict(list)
    for arc in arcs:
        neighbours[arc.source].append(arc.target)
        neighbours[arc.target].append(arc.source)
    height = {id_: row for layer in ordered for id_, row in _rows(layer).items()}
    for sweep in range(_SWEEPS):
        for layer in ordered if sweep % 2 == 0 else reversed(ordered):
            _sort(layer, known, neighbours, height)
            height |= _rows(layer)
    return ordered


def _rows(layer: Sequence[str]) -> dict[str, float]:
    """How far each is from its layer's middle, in rows."""
    middle = (len(layer) - 1) / 2
    return {id_: row - middle for row, id_ in enumerate(layer)}


def _sort(
    layer: list[str],
    known: Mapping[str, Vertex],
    neighbours: Mapping[str, Sequence[str]],
    height: Mapping[str, float],
) -> None:
    """By the middle of the neighbours' rows, projects together."""
    middles = {
        id_: _mean([height[o] for o in neighbours.get(id_, ())], height[id_]) for id_ in layer
    }
    members = defaultdict(list)
    for id_ in layer:
        members[known[id_].project].append(middles[id_])
    groups = {project: _mean(rows, 0.0) for project, rows in members.items()}
    layer.sort(
        key=lambda id_: (groups[known[id_].project], known[id_].project, middles[id_], height[id_])
    )


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _tints(vertices: Iterable[Vertex]) -> dict[str, int]:
    """The root's project has the first; from the ninth on they begin again."""
    nearest: dict[str, int] = {}
    for vertex in vertices:
        nearest[vertex.project] = min(vertex.distance, nearest.get(vertex.project, vertex.distance))
    ordered = sorted(nearest, key=lambda project: (nearest[project], project))
    return {project: number % TINTS for number, project in enumerate(ordered)}


def _boxes(
    known: Mapping[str, Vertex],
    layers: Sequence[Sequence[str]],
    tints: Mapping[str, int],
    roots: frozenset[str],
) -> list[Box]:
    offsets = [_offsets([known[id_].project for id_ in layer]) for layer in layers]
    tallest = max((rows[-1] for rows in offsets), default=0)
    return [
        Box(
            vertex=vertex,
            layer=number,
            x=_MARGIN + number * _LAYER_STEP,
            y=_MARGIN + (tallest - rows[-1]) // 2 + offset,
            label=shortened(vertex.label, _COLUMNS),
            place=shortened(vertex.place, SMALL_COLUMNS),
            tint=tints[vertex.project],
            is_root=id_ in roots,
        )
        for number, (layer, rows) in enumerate(zip(layers, offsets, strict=True))
        for id_, offset in zip(layer, rows, strict=True)
        for vertex in [known[id_]]
    ]


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
    source: Box, target: Box
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Forward from right to left; back, and within a layer, by the lower halves of the sides."""
    below = HEIGHT // 4
    if source.layer < target.layer:
        bend = (target.x - source.right) // 2
        start, end = (source.right, source.middle), (target.x, target.middle)
    elif source.layer > target.layer:
        bend = (target.right - source.x) // 2
        start, end = (source.x, source.middle + below), (target.right, target.middle + below)
    else:
        bend = (_LAYER_STEP - WIDTH) // 2
        start, end = (source.right, source.middle + below), (target.right, target.middle - below)
        return start, (start[0] + bend, start[1]), (end[0] + bend, end[1]), end
    return start, (start[0] + bend, start[1]), (end[0] - bend, end[1]), end


def _half_way(values: Sequence[int]) -> int:
    """Of a cubic Bezier curve's four values."""
    start, near_start, near_end, end = values
    return (start + 3 * near_start + 3 * near_end + end) // 8
