"""The graph of calls around a symbol, over HTTP."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.trace import Confidence
from central.trace.graph import CallGraph
from central.trace.resolve.definitions import DefinitionFilter, definitions_named
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.rules import RULES
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import pyproject, repository
from tests.central.trace.test_symmetry import NAMES, corpora, indexed
from tests.property_settings import examples


@pytest.fixture
def chain() -> None:
    """`top` → `middle` → `bottom` → `top`, over two repositories, and a script on top."""
    repository(
        "library",
        {
            "pyproject.toml": pyproject("acme-library", "acme-application"),
            "acme_library/__init__.py": """\
                from acme_application import top

                def middle():
                    return bottom()

                def bottom():
                    return top()
                """,
        },
    )
    repository(
        "application",
        {
            "pyproject.toml": pyproject("acme-application", "acme-library"),
            "acme_application/__init__.py": """\
                from acme_library import middle

                def top():
                    return middle()
                """,
            "run.py": "from acme_application import top\n\ntop()\n",
        },
    )


LIBRARY = "code:library/acme_library/__init__.py#"
TOP = "code:application/acme_application/__init__.py#top"


def test_a_cycle_is_gone_through_once(chain: None, ask: Ask) -> None:
    answer = ask("graph", symbol="middle", depth=5).json()
    assert answer["root"] == [f"{LIBRARY}middle"]
    assert {node["id"]: node["distance"] for node in answer["nodes"]} == {
        f"{LIBRARY}middle": 0,
        f"{LIBRARY}bottom": 1,
        TOP: 1,
        "code:application/run.py": 2,
    }
    assert [(edge["caller"], edge["callee"]) for edge in answer["edges"]] == [
        (TOP, f"{LIBRARY}middle"),
        ("code:application/run.py", TOP),
        (f"{LIBRARY}bottom", TOP),
        (f"{LIBRARY}middle", f"{LIBRARY}bottom"),
    ]
    assert answer["truncated"] is False


def test_depth_bounds_the_distance_of_nodes(chain: None, ask: Ask) -> None:
    answer = ask("graph", symbol="middle", depth=1).json()
    assert {node["distance"] for node in answer["nodes"]} == {0, 1}


def test_a_graph_over_the_limit_says_that_it_is_cut(chain: None, ask: Ask) -> None:
    answer = ask("graph", symbol="middle", depth=5, limit=2).json()
    assert len(answer["nodes"]) == 2
    assert answer["truncated"] is True
    assert "more than 2 nodes" in answer["truncated_reason"]
    assert answer["receipt"]["complete"] is False


def test_every_edge_joins_nodes_of_the_graph(chain: None, ask: Ask) -> None:
    for limit in (1, 2, 3, 4):
        answer = ask("graph", symbol="top", depth=3, limit=limit).json()
        ids = {node["id"] for node in answer["nodes"]}
        assert {edge[end] for edge in answer["edges"] for end in ("caller", "callee")} <= ids


def call_graph(repositories: list[int], symbol: str, limit: int) -> CallGraph:
    resolver = BatchResolver(RULES, repositories=repositories)
    graph = CallGraph(resolver, Confidence.MEDIUM, limit)
    graph.start(definitions_named(resolver, DefinitionFilter(symbol)))
    graph.expand(3)
    return graph


@examples(25)
@given(corpus=corpora, symbol=st.sampled_from(NAMES), batch=st.sampled_from([0, 2, 1_000]))
def test_a_limited_graph_is_a_part_of_the_whole_one(
    corpus: Mapping[str, str], symbol: str, batch: int
) -> None:
    repositories = indexed(corpus)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("central.trace.graph._BATCH_REFERENCES", batch)
        whole = call_graph(repositories, symbol, 1_000)
        for limit in range(1, len(whole.distances)):
            part = call_graph(repositories, symbol, limit)
            assert part.is_full
            assert len(part.distances) == limit
            assert part.distances.items() <= whole.distances.items()
            assert {key: set(edges) for key, edges in part.edges.items()} == {
                key: set(edges)
                for key, edges in whole.edges.items()
                if part.distances.keys() >= {key.caller, key.callee}
            }


def kit(text: str) -> None:
    """A library of one module."""
    repository("kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": text})


def names_of(answer: Any) -> dict[str, int]:
    return {node["qualified_name"]: node["distance"] for node in answer["nodes"]}


def edges_of(answer: Any) -> list[tuple[str, str]]:
    return [
        (edge["caller"].partition("#")[2], edge["callee"].partition("#")[2])
        for edge in answer["edges"]
    ]


def test_callees_are_followed_from_what_is_a_caller_too(ask: Ask) -> None:
    kit("""\
        def f():
            g()

        def g():
            f()
            h()

        def h():
            k()

        def k(): ...
        """)
    answer = ask("graph", symbol="f", depth=5).json()
    assert names_of(answer) == {"f": 0, "g": 1, "h": 2, "k": 3}
    assert edges_of(answer) == [("f", "g"), ("g", "f"), ("g", "h"), ("h", "k")]


@pytest.fixture
def method() -> None:
    """`f` makes a `K`, whose method `m` calls `f`."""
    kit("""\
        def f():
            K()

        class K:
            def m(self):
                f()
        """)


def test_the_innermost_definition_is_the_caller(method: None, ask: Ask) -> None:
    answer = ask("graph", symbol="f", depth=2).json()
    assert edges_of(answer) == [("K.m", "f"), ("f", "K")]


def test_what_stands_in_a_node_is_as_near_as_the_node(method: None, ask: Ask) -> None:
    answer = ask("graph", symbol="K", depth=1).json()
    assert names_of(answer) == {"K": 0, "K.m": 0, "f": 1}
    assert answer["root"] == ["code:kit/acme_kit/__init__.py#K"]
