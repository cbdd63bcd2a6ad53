"""Which layer and tint each box has, whatever the graph."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.trace import GraphEdge, GraphNode
from central.web.graph_drawing import Box, Drawing, drawing_of, vertices_of
from central.web.graph_levels import TINTS, Arc
from central.web.plain_text import columns
from tests.central.web.graphs import chain, edge, node
from tests.property_settings import examples

ROOT = node("root", 0)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[GraphNode], list[GraphEdge]]:
    """Any nodes and any edges between them: cycles, loops, strays."""
    count = draw(st.integers(min_value=1, max_value=14))
    nodes = [ROOT]
    for number in range(count - 1):
        distance = draw(st.integers(min_value=0, max_value=3))
        project = draw(st.sampled_from(["shop", "auth", "mail"]))
        name = draw(st.text("a_検<\u0301", max_size=40)) + str(number)
        made = node(f"f{number}", distance, project=project)
        nodes.append(replace(made, qualified_name=name, name=name))
    one = st.integers(min_value=0, max_value=count - 1)
    pairs = draw(st.sets(st.tuples(one, one), max_size=40))
    return nodes, [edge(nodes[caller], nodes[callee]) for caller, callee in sorted(pairs)]


def drawn(nodes: list[GraphNode], edges: list[GraphEdge]) -> Drawing:
    arcs = [Arc(edge.caller, edge.callee) for edge in edges]
    return drawing_of(
        vertices_of(nodes),
        arcs,
        [ROOT.id],
        box=lambda vertex: (vertex.id, vertex.project, False),
        line=lambda _: ("", "", ""),
    )


def by_name(drawing: Drawing) -> dict[str, Box]:
    return {box.label: box for box in drawing.boxes}


@examples(40)
@given(graphs(), st.randoms(use_true_random=False))
def test_a_graph_is_drawn_whole_and_alike_in_whatever_order_it_comes(
    graph: tuple[list[GraphNode], list[GraphEdge]], shuffling: random.Random
) -> None:
    nodes, edges = graph
    drawing = drawn(nodes, edges)
    assert {box.url for box in drawing.boxes} == {one.id for one in nodes}
    assert len(drawing.lines) == len(edges)
    for line in drawing.lines:
        ends = drawing.boxes[line.source], drawing.boxes[line.target]
        assert tuple(box.url for box in ends) == line.arc
    for box in drawing.boxes:
        assert columns(box.label) <= 26
        assert columns(box.place) <= 28
    shuffling.shuffle(nodes)
    shuffling.shuffle(edges)
    assert drawn(nodes, edges) == drawing


def test_callers_are_to_the_left_and_callees_to_the_right() -> None:
    nodes = [node("far", 2), node("caller"), ROOT, node("callee"), node("deep", 2)]
    drawing = drawn(nodes, chain(nodes))
    assert [box.level for box in drawing.boxes] == [-2, -1, 0, 1, 2]
    assert [box.label for box in drawing.boxes] == ["far", "caller", "root", "callee", "deep"]


def test_what_calls_the_root_and_is_called_is_where_the_way_is_shorter() -> None:
    nodes = [ROOT, node("middle"), node("last", 2)]
    boxes = by_name(drawn(nodes, [*chain(nodes), edge(nodes[2], nodes[0])]))
    assert boxes["last"].level < boxes["root"].level < boxes["middle"].level


def test_what_stands_in_a_node_and_is_not_called_is_beside_what_it_calls() -> None:
    inner, used = node("inner", 1), node("used", 2)
    boxes = by_name(drawn([ROOT, inner, used], [edge(inner, used)]))
    assert boxes["root"].level < boxes["inner"].level < boxes["used"].level


def test_a_layer_s_boxes_come_by_project_and_the_root_s_has_the_first_tint() -> None:
    callers = [node(f"c{number}", project="ab"[number % 2]) for number in range(6)]
    drawing = drawn([ROOT, *callers], [edge(one, ROOT) for one in callers])
    assert [box.title for box in drawing.boxes if not box.is_root] == ["a"] * 3 + ["b"] * 3
    assert drawing.projects == [("shop", 0), ("a", 1), ("b", 2)]


def test_tints_begin_again_when_there_are_more_projects() -> None:
    callers = [node(f"c{number}", project=f"p{number}") for number in range(TINTS)]
    assert drawn([ROOT, *callers], []).projects[-1] == (f"p{TINTS - 1}", 0)


def test_a_long_name_is_cut_and_a_long_path_keeps_its_project() -> None:
    long = replace(ROOT, qualified_name="a" * 40, file="src/" + "deep/" * 20 + "views.py")
    (box,) = drawn([long], []).boxes
    assert box.label == "a" * 23 + "…"
    assert box.place == "shop/…/views.py"
