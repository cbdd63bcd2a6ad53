"""A laid-out graph ready to be written as SVG, and a call graph's edges as rows of a table.

`knowledge_drawing` does the same for nodes of the knowledge graph.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from central.trace.answers import Graph, GraphEdge, GraphNode
from central.web.graph_layout import (
    HEIGHT,
    SMALL_COLUMNS,
    WIDTH,
    Arc,
    Box,
    Line,
    Picture,
    Vertex,
    picture_of,
)
from central.web.plain_text import columns, shortened
from central.web.trace_rows import RULE_WORDS
from central.web.urls_for import end_url, file_url, graph_url


@dataclass(frozen=True, slots=True)
class SvgBox:
    """A box; `number` is its index, which lines name."""

    box: Box
    number: int
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class SvgLine:
    """A line; `style` is a class of graph.css, `label` stands beside it where there is one."""

    line: Line
    style: str
    title: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """All of it; `projects` are (name, tint)."""

    width: int
    height: int
    box_width: int
    box_height: int
    boxes: list[SvgBox]
    lines: list[SvgLine]
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
    picture: Picture,
    *,
    box: Callable[[Vertex], tuple[str, str]],
    line: Callable[[Arc], tuple[str, str, str]],
) -> Drawing:
    """`box` gives a vertex's address and title, `line` an arc's style, title and label."""
    boxes = []
    for number, one in enumerate(picture.boxes):
        url, title = box(one.vertex)
        boxes.append(SvgBox(one, number, url, title))
    return Drawing(
        width=picture.width,
        height=picture.height,
        box_width=WIDTH,
        box_height=HEIGHT,
        boxes=boxes,
        lines=[SvgLine(one, *line(one.arc)) for one in picture.lines],
        projects=picture.projects,
    )


def nearest(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], most: int) -> list[GraphEdge]:
    """At most so many edges, those whose ends are nearest to the roots before others."""
    distances = {node.id: node.distance for node in nodes}
    return sorted(edges, key=lambda one: max(distances[one.caller], distances[one.callee]))[:most]


def call_graph(
    graph: Graph, edges: Sequence[GraphEdge], *, organization: str, again: dict[str, object]
) -> tuple[Drawing, list[Row]]:
    """The picture, and its lines as rows; `again`: what a next graph is asked with."""
    nodes = {node.id: node for node in graph.nodes}
    joined = {(edge.caller, edge.callee): edge for edge in edges}

    def box(vertex: Vertex) -> tuple[str, str]:
        node = nodes[vertex.id]
        return _box_url(node, organization, again), _title(node)

    def line(arc: Arc) -> tuple[str, str, str]:
        confidence = joined[arc.source, arc.target].confidence
        ends = f"{name_of(nodes[arc.source])} uses {name_of(nodes[arc.target])}"
        return f"edge-{confidence}", f"{ends}: {confidence} confidence", ""

    drawing = drawing_of(
        picture_of(vertices_of(graph.nodes), [Arc(*pair) for pair in joined], graph.root),
        box=box,
        line=line,
    )
    arcs = [one.line.arc for one in drawing.lines]
    rows = [_row(joined[arc.source, arc.target], nodes, organization) for arc in arcs]
    return drawing, rows


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
    if columns(whole) <= SMALL_COLUMNS:
        return whole
    return shortened(f"{project}/…/{file_name(file)}", SMALL_COLUMNS)


def file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _row(edge: GraphEdge, nodes: dict[str, GraphNode], organization: str) -> Row:
    caller, callee = nodes[edge.caller], nodes[edge.callee]
    return Row(
        edge,
        caller,
        callee,
        end_url(organization, caller.project, caller.file, caller.qualified_name),
        end_url(organization, callee.project, callee.file, callee.qualified_name),
        file_url(organization, edge.project, edge.file, edge.line),
        RULE_WORDS.get(edge.rule, edge.rule),
    )


def _title(node: GraphNode) -> str:
    return f"{name_of(node)} ({node.kind}) in {node.project}/{node.file}, line {node.line}"


def _box_url(node: GraphNode, organization: str, again: dict[str, object]) -> str:
    if not node.qualified_name:
        return file_url(organization, node.project, node.file)
    return graph_url(
        organization, node.qualified_name, project=node.project, file=node.file, **again
    )
