"""A graph ready to be written as SVG, and a call graph's edges as rows of a table.

`knowledge_drawing` does the same for nodes of the knowledge graph.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aeterna_code_search.contract.trace import CONFIDENCES, Graph, GraphEdge, GraphNode
from central.web.graph_levels import Arc, NodeGroup, Vertex, groups_of, levels_of, tints_of
from central.web.plain_text import columns, shortened
from central.web.trace_rows import RULE_WORDS
from central.web.urls_for import TracePages, graph_url

_COLUMNS: Final = 24  # of a label, in characters as wide as a digit
_SMALL_COLUMNS: Final = 28  # of the line below it


@dataclass(frozen=True, slots=True)
class Box:
    """A vertex as a box of its layer; `tint` is 0 to TINTS - 1. `is_group`: of several nodes."""

    level: int
    label: str
    place: str
    tint: int
    is_root: bool
    url: str
    title: str
    is_group: bool


@dataclass(frozen=True, slots=True)
class Line:
    """An arc between the boxes at two indices.

    `style` is a class of graph.css, `label` stands beside it where there is one.
    """

    arc: Arc
    source: int
    target: int
    style: str
    title: str
    label: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """All of it; `projects` are (name, tint), as the legend has them."""

    boxes: list[Box]
    lines: list[Line]
    projects: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Row:
    """An edge of a call graph as a row of the table."""

    edge: GraphEdge
    caller: GraphNode
    callee: GraphNode
    caller_url: str
    callee_url: str
    place_url: str
    rule: str


def drawing_of(
    vertices: Sequence[Vertex],
    arcs: Iterable[Arc],
    roots: Collection[str],
    *,
    box: Callable[[Vertex], tuple[str, str, bool]],
    line: Callable[[Arc], tuple[str, str, str]],
) -> Drawing:
    """Return the boxes from left to right, and the lines between them.

    `box` gives a vertex's address, title and whether it is a group; `line` an arc's style, title
    and label. The same graph gives the same drawing, in whatever order it comes. Arcs to what is
    not among `vertices` are left out.
    """
    known = {vertex.id: vertex for vertex in vertices}
    joined = sorted(arc for arc in arcs if arc.source in known and arc.target in known)
    levels, tints = levels_of(known, joined), tints_of(vertices)
    ordered = sorted(
        vertices, key=lambda vertex: (levels[vertex.id], vertex.project, vertex.order, vertex.id)
    )
    index = {vertex.id: number for number, vertex in enumerate(ordered)}
    return Drawing(
        boxes=[
            Box(
                levels[vertex.id],
                shortened(vertex.label, _COLUMNS),
                shortened(vertex.place, _SMALL_COLUMNS),
                tints[vertex.project],
                vertex.id in roots,
                *box(vertex),
            )
            for vertex in ordered
        ],
        lines=[Line(arc, index[arc.source], index[arc.target], *line(arc)) for arc in joined],
        projects=list(tints.items()),
    )


def nearest(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], most: int) -> list[GraphEdge]:
    """At most so many edges, those whose ends are nearest to the roots before others."""
    distances = {node.id: node.distance for node in nodes}
    return sorted(edges, key=lambda edge: max(distances[edge.caller], distances[edge.callee]))[
        :most
    ]


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of a picture: `again` is what a next graph is asked with, `open` opens a group."""

    pages: TracePages
    again: Mapping[str, object]
    open: Callable[[NodeGroup], str]

    def of_node(self, node: GraphNode) -> str:
        if not node.qualified_name:
            return self.pages.file(node.project, node.file)
        ref = self.pages.ref_of(node.project)
        place = {"project": node.project, "file": node.file, "ref": ref}
        return graph_url(self.pages.organization, node.qualified_name, **place, **self.again)


def call_graph(
    graph: Graph, edges: Sequence[GraphEdge], *, opened: Collection[str], links: Links
) -> tuple[Drawing, list[Row]]:
    """Return the picture, and each edge as a row; groups that are not `opened` are one box."""
    nodes = {node.id: node for node in graph.nodes}
    groups = _groups(graph, edges, opened)
    boxes = {group.id: group for group in groups.values()}
    joined = defaultdict[Arc, list[GraphEdge]](list)
    for edge in edges:
        ends = [groups[end].id if end in groups else end for end in (edge.caller, edge.callee)]
        joined[Arc(*ends)].append(edge)

    def box(vertex: Vertex) -> tuple[str, str, bool]:
        if vertex.id in boxes:
            group = boxes[vertex.id]
            return links.open(group), f"{_name_of_group(group)}: {_count(group)}, open", True
        node = nodes[vertex.id]
        return links.of_node(node), _title(node), False

    def line(arc: Arc) -> tuple[str, str, str]:
        best = min(joined[arc], key=lambda edge: CONFIDENCES.index(edge.confidence))
        source, target = (
            _name_of_group(boxes[end]) if end in boxes else name_of(nodes[end]) for end in arc
        )
        times = f" {len(joined[arc]):,} times" if len(joined[arc]) > 1 else ""
        said = f"{source} uses {target}{times}: {best.confidence} confidence"
        return f"edge-{best.confidence}", said, ""

    alone = [node for node in graph.nodes if node.id not in groups]
    vertices = [*vertices_of(alone), *map(_vertex_of_group, boxes.values())]
    arcs = [arc for arc in joined if arc.source != arc.target or arc.source not in boxes]
    drawing = drawing_of(vertices, arcs, graph.root, box=box, line=line)
    drawn = dict.fromkeys(line.arc for line in drawing.lines)
    rows = [
        _row(edge, nodes, links.pages)
        for arc in dict.fromkeys((*drawn, *joined))  # those inside of a group come last
        for edge in joined[arc]
    ]
    return drawing, rows


def _groups(
    graph: Graph, edges: Sequence[GraphEdge], opened: Collection[str]
) -> dict[str, NodeGroup]:
    known = {vertex.id: vertex for vertex in vertices_of(graph.nodes)}
    levels = levels_of(known, [Arc(edge.caller, edge.callee) for edge in edges])
    return groups_of(graph.nodes, roots=graph.root, levels=levels, opened=opened)


def _vertex_of_group(group: NodeGroup) -> Vertex:
    return Vertex(
        id=group.id,
        project=group.project,
        distance=min(node.distance for node in group.nodes),
        label=_count(group),
        place=place_of(group.project, group.file) if group.file else group.project,
        order=(group.file, 0),
    )


def _name_of_group(group: NodeGroup) -> str:
    return f"{group.project}/{group.file}" if group.file else group.project


def _count(group: NodeGroup) -> str:
    return f"{len(group.nodes):,} definitions"


def vertices_of(nodes: Sequence[GraphNode]) -> list[Vertex]:
    return [
        Vertex(
            id=node.id,
            project=node.project,
            distance=node.distance,
            label=node.qualified_name or file_name(node.file),
            place=place_of(node.project, node.file),
            order=(node.file, node.line),
        )
        for node in nodes
    ]


def name_of(node: GraphNode) -> str:
    """A definition's name; a file's top level is called after its file."""
    return node.qualified_name or node.file


def place_of(project: str, file: str) -> str:
    """Return project and file, shortened to fit; the project stays."""
    whole = f"{project}/{file}"
    if columns(whole) <= _SMALL_COLUMNS:
        return whole
    return shortened(f"{project}/…/{file_name(file)}", _SMALL_COLUMNS)


def file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _row(edge: GraphEdge, nodes: dict[str, GraphNode], pages: TracePages) -> Row:
    caller, callee = nodes[edge.caller], nodes[edge.callee]
    return Row(
        edge,
        caller,
        callee,
        pages.end(caller.project, caller.file, caller.qualified_name),
        pages.end(callee.project, callee.file, callee.qualified_name),
        pages.file(edge.project, edge.file, edge.line),
        RULE_WORDS.get(edge.rule, edge.rule),
    )


def _title(node: GraphNode) -> str:
    return f"{name_of(node)} ({node.kind}) in {node.project}/{node.file}, line {node.line}"
