"""What is around a symbol, as text."""

from aeterna_code_search.cli.output import graph
from aeterna_code_search.client.console import Console
from tests.agents.recorded import recorded

PLAIN = Console(is_terminal=True, width=120, has_colours=False)


def test_every_edge_is_a_line() -> None:
    answer = recorded("graph")
    lines = graph.format_plain(answer).splitlines()
    assert len(lines) == len(answer["edges"])
    edge = answer["edges"][0]
    assert lines[0].startswith(f"{edge['project']}/{edge['file']}:{edge['line']}: ")


def test_a_tree_goes_up_to_callers_and_down_to_callees() -> None:
    answer = recorded("graph")
    root, edge = answer["root"][0], answer["edges"][0]
    other = next(node["id"] for node in answer["nodes"] if node["id"] != root)
    answer["edges"] = [
        edge | {"caller": other, "callee": root},
        edge | {"caller": root, "callee": other},
    ]
    lines = graph.render(PLAIN, answer).splitlines()
    assert "ProcessPayment" in lines[0]
    assert ["called by" in lines[1], "calls" in lines[4]] == [True, True]


def test_what_calls_itself_does_not_grow_for_ever() -> None:
    answer = recorded("graph")
    root = answer["root"][0]
    answer["edges"] = [answer["edges"][0] | {"caller": root, "callee": root, "count": 3}]
    assert graph.render(PLAIN, answer).count("at 3 places") == 2
