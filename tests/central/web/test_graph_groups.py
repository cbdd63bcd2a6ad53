"""Nodes that stand in a call graph's picture as one."""

from collections.abc import Collection

from aeterna_code_search.contract.trace import GraphNode
from central.web.graph_levels import PICTURE_NODES, groups_of
from tests.central.web.graphs import node

ROOT = node("root", 0)


def nodes_of(*files: tuple[str, str, int]) -> list[GraphNode]:
    """So many callers in each of the files, given as (project, file, count)."""
    return [
        node(f"{project}_{file}_{number}", project=project, file=file)
        for project, file, count in files
        for number in range(count)
    ]


def groups(nodes: list[GraphNode], opened: Collection[str] = (), level: int = -1) -> dict[str, int]:
    """The ids of the groups with the number of their nodes."""
    levels = dict.fromkeys((one.id for one in nodes), level)
    found = groups_of([ROOT, *nodes], roots=[ROOT.id], levels=levels, opened=opened)
    return {group.id: len(group.nodes) for group in found.values()}


def test_picture_of_few_nodes_has_no_groups() -> None:
    few = nodes_of(("shop", "a.py", PICTURE_NODES - 1))
    assert groups(few) == {}
    assert groups([*few, *nodes_of(("shop", "b.py", 1))]) == {"-1:shop/a.py": PICTURE_NODES - 1}


def test_nodes_of_a_file_are_one_and_single_ones_stay() -> None:
    nodes = nodes_of(("shop", "a.py", 30), ("shop", "b.py", 20), ("shop", "c.py", 1))
    assert groups(nodes) == {"-1:shop/a.py": 30, "-1:shop/b.py": 20}


def test_where_files_are_many_nodes_of_the_largest_project_are_one() -> None:
    files = [("shop", f"{number}.py", 1) for number in range(30)]
    nodes = nodes_of(*files, ("blog", "a.py", 2), *(("blog", f"{n}.py", 1) for n in range(20)))
    assert groups(nodes) == {"-1:shop": 30, "-1:blog/a.py": 2}


def test_opened_project_is_grouped_by_file_and_others_stay() -> None:
    files = [("shop", f"{number}.py", 1) for number in range(90)]
    nodes = nodes_of(*files, ("blog", "a.py", 2), *(("blog", f"{n}.py", 1) for n in range(45)))
    assert groups(nodes) == {"-1:shop": 90, "-1:blog": 47}
    assert groups(nodes, ["-1:blog"]) == {"-1:shop": 90, "-1:blog/a.py": 2}
    assert groups(nodes, ["-1:blog", "-1:blog/a.py"]) == {"-1:shop": 90}


def test_picture_is_never_of_one_box() -> None:
    nodes = nodes_of(*(("shop", f"{number}.py", 1) for number in range(60)), ("shop", "z.py", 2))
    assert groups(nodes) == {"-1:shop/z.py": 2}


def test_opened_file_shows_its_nodes() -> None:
    nodes = nodes_of(("shop", "a.py", 30), ("shop", "b.py", 20))
    assert groups(nodes, ["-1:shop/a.py", "9:elsewhere"]) == {"-1:shop/b.py": 20}


def test_callers_and_callees_of_one_file_are_two_groups() -> None:
    nodes = nodes_of(("shop", "a.py", 50))
    levels = {one.id: -1 if number % 2 else 2 for number, one in enumerate(nodes)}
    found = groups_of([ROOT, *nodes], roots=[ROOT.id], levels=levels)
    assert {group.id for group in found.values()} == {"-1:shop/a.py", "2:shop/a.py"}
