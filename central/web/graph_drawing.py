"""A laid-out graph ready to be written as SVG and as a table: addresses, titles, classes."""

from collections.abc import Sequence
from dataclasses import dataclass

from central.trace.answers import GraphEdge, GraphNode
from central.web.graph_layout import HEIGHT, WIDTH, Box, Line, Picture
from central.web.places import end_url, file_url, graph_url
from central.web.tracing import RULE_WORDS


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box; `number` is its index, which lines name. `url` leads to the graph around it."""

    box: Box
    number: int
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line with the edge as a row of the table."""

    line: Line
    caller: GraphNode
    callee: GraphNode
    caller_url: str
    callee_url: str
    place_url: str
    rule: str
    title: str

    @property
    def edge(self) -> GraphEdge:
        """What it stands for."""
        return self.line.edge


@dataclass(frozen=True, slots=True)
class Drawing:
    """All of it; `projects` are (name, tint)."""

    width: int
    height: int
    box_width: int
    box_height: int
    boxes: list[DrawnBox]
    lines: list[DrawnLine]
    projects: list[tuple[str, int]]


def nearest(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], most: int) -> list[GraphEdge]:
    """At most so many edges, those whose ends are nearest to the roots before others."""
    distances = {node.id: node.distance for node in nodes}
    return sorted(edges, key=lambda one: max(distances[one.caller], distances[one.callee]))[:most]


def drawing_of(picture: Picture, *, organization: str, again: dict[str, object]) -> Drawing:
    """The picture with addresses in the organisation; `again`: what a next graph is asked with."""
    return Drawing(
        width=picture.width,
        height=picture.height,
        box_width=WIDTH,
        box_height=HEIGHT,
        boxes=[
            DrawnBox(box, number, _box_url(box.node, organization, again), _title(box.node))
            for number, box in enumerate(picture.boxes)
        ],
        lines=[_drawn(line, picture.boxes, organization) for line in picture.lines],
        projects=picture.projects,
    )


def _drawn(line: Line, boxes: list[Box], organization: str) -> DrawnLine:
    caller, callee = boxes[line.caller].node, boxes[line.callee].node
    edge = line.edge
    return DrawnLine(
        line,
        caller,
        callee,
        end_url(organization, caller.project, caller.file, caller.qualified_name),
        end_url(organization, callee.project, callee.file, callee.qualified_name),
        file_url(organization, edge.project, edge.file, edge.line),
        RULE_WORDS.get(edge.rule, edge.rule),
        f"{name_of(caller)} uses {name_of(callee)}: {edge.confidence} confidence",
    )


def name_of(node: GraphNode) -> str:
    """A definition's name; a file's top level is called after its file."""
    return node.qualified_name or node.file


def _title(node: GraphNode) -> str:
    return f"{name_of(node)} ({node.kind}) in {node.project}/{node.file}, line {node.line}"


def _box_url(node: GraphNode, organization: str, again: dict[str, object]) -> str:
    if not node.qualified_name:
        return file_url(organization, node.project, node.file)
    return graph_url(
        organization, node.qualified_name, project=node.project, file=node.file, **again
    )
