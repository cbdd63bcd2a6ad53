from typing import Any

from aeterna_code_search.cli.overlay.graph import local_only_graph, merge_graph
from tests.cli.overlay.rows import CENTRAL, LOCAL, Row, front_of, receipt


def node(project: str, file: str, name: str, line: int, distance: int) -> Row:
    return {
        "id": f"code:{project}/{file}#{name}",
        "project": project,
        "file": file,
        "name": name,
        "qualified_name": name,
        "line": line,
        "distance": distance,
    }


def edge(caller: Row, line: int, callee: Row) -> Row:
    return {
        "caller": caller["id"],
        "callee": callee["id"],
        "project": caller["project"],
        "file": caller["file"],
        "line": line,
    }


def graph(project: str, nodes: list[Row], edges: list[Row]) -> dict[str, Any]:
    return {
        "symbol": "charge",
        "root": [one["id"] for one in nodes if one["distance"] == 0],
        "nodes": nodes,
        "edges": edges,
        "truncated": False,
        "truncated_reason": None,
        "receipt": receipt(project, "b" * 40),
        "hint": None,
    }


def central_graph() -> dict[str, Any]:
    """`charge` calls `save` and another project's `retry`, and is called by `pay`."""
    charge = node(CENTRAL, "a.py", "charge", 10, 0)
    save = node(CENTRAL, "a.py", "save", 30, 1)
    pay = node(CENTRAL, "b.py", "pay", 1, 1)
    retry = node("common-utils", "retry.py", "retry", 5, 1)
    edges = [edge(charge, 12, save), edge(charge, 13, retry), edge(pay, 3, charge)]
    return graph(CENTRAL, [charge, pay, retry, save], edges)


def local_graph() -> dict[str, Any]:
    """In the work tree `charge` calls `log` in the place of `save`."""
    charge = node(LOCAL, "a.py", "charge", 11, 0)
    log = node(LOCAL, "a.py", "log", 40, 1)
    pay = node(LOCAL, "b.py", "pay", 1, 1)
    return graph(LOCAL, [charge, log, pay], [edge(charge, 14, log), edge(pay, 3, charge)])


def told(answer: Row) -> list[str]:
    return [f"{one['caller']} → {one['callee']}:{one['line']}" for one in answer["edges"]]


def test_edges_out_of_changed_files_are_the_work_trees() -> None:
    overlay = front_of("a.py", moved={("a.py", 13): 15})

    answer = merge_graph(central_graph(), local_graph(), overlay)

    charge = f"code:{CENTRAL}/a.py#charge"
    assert told(answer) == [
        f"{charge} → code:common-utils/retry.py#retry:15",
        f"{charge} → code:{CENTRAL}/a.py#log:14",
        f"code:{CENTRAL}/b.py#pay → {charge}:3",
    ]
    assert {one["qualified_name"]: one["line"] for one in answer["nodes"]} == {
        "charge": 11,
        "log": 40,
        "pay": 1,
        "retry": 5,
    }
    assert answer["root"] == [charge]
    assert answer["receipt"]["complete"]


def test_a_graph_with_new_lines_may_lack_what_only_central_knows() -> None:
    answer = merge_graph(central_graph(), local_graph(), front_of("a.py", new=[("a.py", 60)]))

    assert [one["reason"] for one in answer["receipt"]["missing"]] == ["links_on_edited_lines"]


def test_both_ends_of_every_edge_are_nodes() -> None:
    answer = merge_graph(central_graph(), local_graph(), front_of("a.py", "b.py"))

    ids = {one["id"] for one in answer["nodes"]}
    assert {end for one in answer["edges"] for end in (one["caller"], one["callee"])} <= ids


def test_a_root_that_the_work_tree_no_longer_has_is_marked() -> None:
    answer = merge_graph(central_graph(), None, front_of("a.py"))

    assert [one["qualified_name"] for one in answer["nodes"] if one.get("gone")] == ["charge"]


def test_a_work_tree_without_changes_leaves_the_graph_as_it_is() -> None:
    assert merge_graph(central_graph(), local_graph(), front_of()) == central_graph()


def test_a_symbol_that_central_does_not_know_has_the_work_trees_graph() -> None:
    answer = local_only_graph(local_graph(), front_of("a.py"))

    assert answer["root"] == [f"code:{CENTRAL}/a.py#charge"]
    assert {one["project"] for one in [*answer["nodes"], *answer["edges"]]} == {CENTRAL}
    assert answer["receipt"]["local"]["files"] == 1
