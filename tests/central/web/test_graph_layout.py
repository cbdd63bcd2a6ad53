"""Where boxes and lines stand, whatever the graph."""

import random
from dataclasses import replace
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.trace import GraphEdge, GraphNode
from central.web.graph_drawing import vertices_of
from central.web.graph_layout import HEIGHT, TINTS, WIDTH, Arc, Box, Picture, picture_of
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


def laid_out(nodes: list[GraphNode], edges: list[GraphEdge]) -> Picture:
    arcs = [Arc(edge.caller, edge.callee) for edge in edges]
    return picture_of(vertices_of(nodes), arcs, [ROOT.id])


def by_name(picture: Picture) -> dict[str, Box]:
    return {box.vertex.label: box for box in picture.boxes}


def overlap(one: Box, other: Box) -> bool:
    return abs(one.x - other.x) < WIDTH and abs(one.y - other.y) < HEIGHT


@examples(40)
@given(graphs())
def test_no_two_boxes_overlap_and_all_lie_in_the_picture(
    graph: tuple[list[GraphNode], list[GraphEdge]],
) -> None:
    picture = laid_out(*graph)
    assert {box.vertex.id for box in picture.boxes} == {one.id for one in graph[0]}
    assert not any(overlap(one, other) for one, other in combinations(picture.boxes, 2))
    for box in picture.boxes:
        assert 0 <= box.x <= picture.width - WIDTH
        assert 0 <= box.y <= picture.height - HEIGHT
        assert columns(box.label) <= 26
        assert columns(box.place) <= 28


@examples(40)
@given(graphs())
def test_each_line_joins_a_side_of_its_caller_with_a_side_of_its_callee(
    graph: tuple[list[GraphNode], list[GraphEdge]],
) -> None:
    picture = laid_out(*graph)
    assert len(picture.lines) == len(graph[1])
    for line in picture.lines:
        caller, callee = picture.boxes[line.source], picture.boxes[line.target]
        assert (caller.vertex.id, callee.vertex.id) == line.arc
        for box, (x, y) in ((caller, line.points[0]), (callee, line.points[3])):
            assert x in {box.x, box.right}
            assert box.y < y < box.y + HEIGHT


@examples(30)
@given(graphs(), st.randoms(use_true_random=False))
def test_the_same_graph_gives_the_same_picture_in_whatever_order_it_comes(
    graph: tuple[list[GraphNode], list[GraphEdge]], order: random.Random
) -> None:
    nodes, edges = list(graph[0]), list(graph[1])
    picture = laid_out(nodes, edges)
    order.shuffle(nodes)
    order.shuffle(edges)
    assert laid_out(nodes, edges) == picture


def test_callers_are_to_the_left_of_the_root_and_callees_to_the_right() -> None:
    nodes = [node("page", 2), node("view", 1), ROOT, node("query", 1), node("row", 2)]
    boxes = by_name(laid_out(nodes, chain(nodes)))
    ordered = [boxes[name].x for name in ("page", "view", "root", "query", "row")]
    assert ordered == sorted(set(ordered))


def test_the_middle_of_a_line_is_half_way() -> None:
    picture = laid_out([ROOT, node("other")], [edge(ROOT, node("other"))])
    (box, other), (line,) = picture.boxes, picture.lines
    assert line.middle == ((box.right + other.x) // 2, box.middle)


def test_a_cycle_is_drawn_and_its_last_edge_goes_back() -> None:
    nodes = [ROOT, node("middle"), node("last", 2)]
    picture = laid_out(nodes, [*chain(nodes), edge(nodes[2], nodes[0])])
    boxes = by_name(picture)
    # one step to the root, two steps from it: the shorter way decides
    assert boxes["last"].x < boxes["root"].x < boxes["middle"].x
    back = next(
        line
        for line in picture.lines
        if line.source != line.target
        and picture.boxes[line.source].layer > picture.boxes[line.target].layer
    )
    assert back.arc.source == nodes[1].id


def test_what_stands_in_a_node_and_is_not_called_is_beside_what_it_calls() -> None:
    inner, used = node("inner", 1), node("used", 2)
    boxes = by_name(laid_out([ROOT, inner, used], [edge(inner, used)]))
    assert boxes["root"].x < boxes["inner"].x < boxes["used"].x


def test_neighbours_are_ordered_so_that_lines_do_not_cross() -> None:
    left = [node(f"caller{number}") for number in range(4)]
    far = [node(f"far{number}", 2) for number in range(4)]
    edges = [edge(one, ROOT) for one in left]
    edges += [edge(far[3 - number], left[number]) for number in range(4)]
    boxes = by_name(laid_out([ROOT, *left, *far], edges))
    order = sorted(range(4), key=lambda number: boxes[f"caller{number}"].y)
    assert [boxes[f"far{3 - number}"].y for number in order] == sorted(
        boxes[one.name].y for one in far
    )


def test_a_layer_s_boxes_stand_by_project_and_the_root_s_has_the_first_tint() -> None:
    callers = [node(f"c{number}", project="ab"[number % 2]) for number in range(6)]
    picture = laid_out([ROOT, *callers], [edge(one, ROOT) for one in callers])
    column = sorted((box for box in picture.boxes if not box.is_root), key=lambda box: box.y)
    assert [box.vertex.project for box in column] == ["a"] * 3 + ["b"] * 3
    assert picture.projects == [("shop", 0), ("a", 1), ("b", 2)]


def test_tints_begin_again_when_there_are_more_projects() -> None:
    callers = [node(f"c{number}", project=f"p{number}") for number in range(TINTS)]
    picture = laid_out([ROOT, *callers], [])
    assert picture.projects[-1] == (f"p{TINTS - 1}", 0)


def test_a_long_name_is_cut_and_a_long_path_keeps_its_project() -> None:
    long = replace(ROOT, qualified_name="a" * 40, file="src/" + "deep/" * 20 + "views.py")
    (box,) = laid_out([long], []).boxes
    assert box.label == "a" * 23 + "…"
    assert box.place == "shop/…/views.py"
