"""The links around a node of the knowledge graph: drawn as a picture, and as rows of a table."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from central.knowledge.answers import EdgeView, NodeView
from central.knowledge.models import CODE_KINDS, Origin
from central.knowledge.services.questions import TraverseAnswer
from central.web.graph_drawing import Drawing, drawing_of, file_name, place_of
from central.web.graph_levels import Arc, Vertex
from central.web.plain_text import plain_line, shortened
from central.web.urls_for import node_url

KIND_WORDS: Final = {
    "knowledge": "knowledge",
    "policy": "policy",
    "memory": "memory",
    "code_file": "file",
    "code_symbol": "definition",
}
_ORIGINS: Final = {  # what stands before decides the line of several edges
    Origin.POLICY: ("edge-policy", "the rule matches"),
    Origin.EXPLICIT: ("edge-explicit", "linked by hand"),
    Origin.TEXT: ("edge-medium", "named in the text"),
    Origin.SEMANTIC: ("edge-low", "alike"),
}
_NODES: Final = 80  # of a picture that can be read
_ROWS: Final = 200
_LABELLED: Final = 40  # lines, beyond which their labels hide them
_LABEL_COLUMNS: Final = 16
_NO_PROJECT: Final = "no project"
_DETAIL_CHARACTERS: Final = 300
_MATCHES: Final = 5


@dataclass(frozen=True, slots=True)
class End:
    """A node at an end of a link. `name` is short, `text` is its title or its place."""

    node: NodeView
    url: str
    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A link as a row of the table; `made` says who or what made it."""

    edge: EdgeView
    source: End
    target: End
    made: str
    details: list[str]


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """What is around a node; `left_out` counts the nodes and links that are not shown."""

    drawing: Drawing
    styles: list[tuple[str, str]]
    rows: list[Row]
    nodes_left_out: int
    rows_left_out: int


def link_graph(answer: TraverseAnswer, *, organization: str, again: dict[str, object]) -> LinkGraph:
    """The nearest nodes as a picture, and the links as rows, the node's own first.

    `again`: what a next node's page is asked with.
    """
    drawn = answer.nodes[:_NODES]
    ends = {node.node.id: end_of(node.node, organization, again) for node in answer.nodes}
    roots = {node.node.id for node in answer.nodes if not node.distance}
    known = [edge for edge in answer.edges if edge.source in ends and edge.target in ends]
    known.sort(key=lambda edge: edge.source not in roots and edge.target not in roots)
    shown = {node.node.id for node in drawn}
    joined: dict[Arc, list[EdgeView]] = {}
    for edge in known:
        if edge.source in shown and edge.target in shown:
            joined.setdefault(Arc(edge.source, edge.target), []).append(edge)
    vertices = [_vertex(ends[node.node.id], node.distance) for node in drawn]
    has_labels = len(joined) <= _LABELLED

    def line(arc: Arc) -> tuple[str, str, str]:
        types = ", ".join(sorted({edge.type for edge in joined[arc]}))
        title = f"{ends[arc.source].name} {types} {ends[arc.target].name}"
        label = shortened(types.replace("_", " "), _LABEL_COLUMNS) if has_labels else ""
        return _style(joined[arc]), title, label

    drawing = drawing_of(
        vertices,
        joined,
        answer.roots,
        box=lambda vertex: (ends[vertex.id].url, _title(ends[vertex.id]), False),
        line=line,
    )
    used = {svg_line.style for svg_line in drawing.lines}
    return LinkGraph(
        drawing=drawing,
        styles=[style for style in _ORIGINS.values() if style[0] in used],
        rows=[
            Row(edge, ends[edge.source], ends[edge.target], _maker(edge), details(edge))
            for edge in known[:_ROWS]
        ],
        nodes_left_out=len(answer.nodes) - len(drawn),
        rows_left_out=max(0, len(known) - _ROWS),
    )


def end_of(node: NodeView, organization: str, again: Mapping[str, object]) -> End:
    """A node with its address and its words."""
    url = node_url(organization, node.id, **again)
    kind = KIND_WORDS.get(node.kind, node.kind)
    if node.kind not in CODE_KINDS:
        return End(node, url, kind, node.id, plain_line(node.title))
    name = node.qualified_name or file_name(node.path or "")
    return End(node, url, kind, plain_line(name), plain_line(f"{node.project}/{node.path}"))


def details(edge: EdgeView) -> list[str]:
    """What an edge's properties say, each on one line."""
    matches = match_lines(edge.properties)
    if matches:
        more = len(matches) - _MATCHES
        shown = [f"{words}: {text}" for words, _, text in matches[:_MATCHES]]
        return [*shown, f"and {more} more"] if more > 0 else shown
    if lines := _lines(edge.properties):
        return [lines]
    return [
        plain_line(f"{name}: {value_text(value)}")[:_DETAIL_CHARACTERS]
        for name, value in edge.properties.items()
    ]


def match_lines(properties: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    """(words for its lines, first line, text) of each match of a policy's rule."""
    return [
        (_lines(match), match["start_line"], plain_line(match["text"]))
        for match in properties.get("matches", ())
        if isinstance(match, Mapping) and _lines(match) and isinstance(match.get("text"), str)
    ]


def value_text(value: object) -> str:
    """The value of a property: text as it is, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _lines(properties: Mapping[str, Any]) -> str:
    first, last = properties.get("start_line"), properties.get("end_line")
    if not isinstance(first, int) or not isinstance(last, int):
        return ""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _maker(edge: EdgeView) -> str:
    _, words = _ORIGINS.get(Origin(edge.origin), ("", edge.origin))
    if edge.origin == Origin.EXPLICIT and edge.author:
        words = f"linked by {plain_line(edge.author)}"
    return words if edge.weight is None else f"{words}, weight {edge.weight:.2f}"


def _style(edges: Sequence[EdgeView]) -> str:
    origins = {edge.origin for edge in edges}
    return next(style for origin, (style, _) in _ORIGINS.items() if origin in origins)


def _vertex(end: End, distance: int) -> Vertex:
    node = end.node
    is_code = node.kind in CODE_KINDS
    return Vertex(
        id=node.id,
        project=node.project or _NO_PROJECT,
        distance=distance,
        label=end.name if is_code else node.id.rpartition("/")[2],
        place=plain_line(place_of(node.project or "", node.path or "")) if is_code else end.text,
        order=(node.path or node.kind, node.start_line or 0),
    )


def _title(end: End) -> str:
    gone = ", missing" if end.node.missing else ", archived" if end.node.archived else ""
    return f"{end.name} ({end.kind}{gone}): {end.text}"
