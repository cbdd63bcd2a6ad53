"""There and back, between the API's shapes and the sidecar's, nothing of ours is lost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.agents.sidecar import answers
from aeterna_code_search.agents.sidecar.mapping import (
    api_graph,
    api_links,
    api_request,
    api_search,
    api_status,
    sidecar_arguments,
    sidecar_graph,
    sidecar_links,
    sidecar_search,
    sidecar_status,
)
from tests.agents.recorded import recorded
from tests.property_settings import examples

FEW = examples(25)  # a draw costs milliseconds
NAMES = st.text(min_size=1, max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
# What a newer service may say beside what is known today.
NEWER = st.dictionaries(NAMES.map(lambda name: f"x_{name}"), JSON, max_size=3)


def answers_like(name: str, rows: str) -> st.SearchStrategy[dict[str, Any]]:
    """Recorded answers with any of their rows, and with members that nobody knows yet."""
    whole = recorded(name)
    row = st.builds(lambda row, more: {**row, **more}, st.sampled_from(whole[rows]), NEWER)
    return st.builds(
        lambda rows_, more: {**whole, rows: rows_, "count": len(rows_), **more},
        st.lists(row, max_size=4),
        NEWER,
    )


@FEW
@given(answer=answers_like("search", "results"))
def test_a_search_comes_back_as_it_was(answer: dict[str, Any]) -> None:
    assert api_search(sidecar_search(answer), "asked") == answer


@pytest.mark.parametrize("what", ["callers", "callees"])
@FEW
@given(data=st.data())
def test_links_come_back_as_they_were(what: str, data: st.DataObject) -> None:
    answer = data.draw(answers_like(what, what))
    assert api_links(sidecar_links(answer, what), what, "asked") == answer


@FEW
@given(answer=answers_like("graph", "edges"), depth=st.integers(1, 5))
def test_a_graph_comes_back_as_it_was(answer: dict[str, Any], depth: int) -> None:
    assert api_graph(sidecar_graph(answer, depth), "asked") == answer


@FEW
@given(answer=answers_like("status", "projects"))
def test_a_status_comes_back_as_it_was(answer: dict[str, Any]) -> None:
    assert api_status(sidecar_status(answer)) == answer


def test_an_answer_without_rows_comes_back_as_it_was() -> None:
    empty = recorded("search_of_nothing")
    assert api_search(sidecar_search(empty)) == empty
    callers = {**recorded("callers_empty"), "definitions": []}
    assert api_links(sidecar_links(callers, "callers"), "callers") == callers
    status = recorded("status_of_nothing")
    assert api_status(sidecar_status(status)) == status


REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "org_id": NAMES,
        "query": NAMES,
        "queries": st.lists(NAMES, max_size=3),
        "symbol": NAMES,
        "limit": st.integers(1, 50),
        "include_projects": st.lists(
            # Names of repositories have no blanks around them, but may have commas.
            st.text("abc-_., ", min_size=1).filter(lambda name: name == name.strip()),
            min_size=1,
            max_size=3,
        ),
        "exclude_projects": st.lists(NAMES, max_size=3),
        "max_content": st.integers(0, 3),
        "expand": st.integers(0, 100),
        "depth": st.integers(1, 5),
        "cursor": NAMES,
    },
)


@given(asked=REQUESTS)
def test_a_request_comes_back_as_it_was(asked: dict[str, Any]) -> None:
    assert api_request(sidecar_arguments(asked)) == asked


def test_arguments_have_the_names_of_grepai() -> None:
    asked = {"org_id": "acme", "query": "x", "include_projects": ["a", "b"], "max_content": 0}
    told = {"workspace": "acme", "query": "x", "projects": "a,b", "compact": True}
    assert sidecar_arguments(asked) == told


def test_what_is_null_or_blank_is_not_asked() -> None:
    told = {"query": "x", "workspace": None, "path": "", "compact": False}
    assert api_request(told) == {"query": "x"}


def test_the_rows_have_the_members_of_grepai() -> None:
    row = sidecar_search(recorded("search"))["results"][0]
    assert {"file_path", "start_line", "end_line", "score", "content"} <= set(row)
    callers = sidecar_links(recorded("callers"), "callers")
    assert {"query", "mode", "symbol", "callers"} <= set(callers)
    assert set(callers["callers"][0]["call_site"]) == {"file", "line", "context"}
    graph = sidecar_graph(recorded("graph"), 2)
    assert (graph["root"], graph["depth"]) == ("ProcessPayment", 2)
    assert {"caller", "callee", "file", "line"} <= set(graph["edges"][0])
    assert sidecar_status(recorded("status"))["total_files"] == 56


# What grepai 0.35 answers; a bare list, lists that are null in Go, and members left out.
SYMBOL = {"name": "Login", "kind": "function", "file": "a.go", "line": 3, "language": "go"}
HIT = {"file_path": "a.go", "start_line": 3, "end_line": 9, "score": 0.7, "content": "func Login"}


def test_the_hits_of_a_plain_sidecar_become_results_of_unknown_commits() -> None:
    answer = api_search([HIT], "log in")
    found = answers.SearchAnswer.model_validate(answer)
    assert (found.query, found.count, found.results[0].file) == ("log in", 1, "a.go")
    assert found.results[0].commit == ""
    assert found.results[0].similarity is None
    assert not found.receipt.complete
    assert [row.reason for row in found.receipt.missing] == ["commits_unknown"]


def test_a_compact_hit_of_a_plain_sidecar_is_one_without_content() -> None:
    compact = {name: value for name, value in HIT.items() if name != "content"}
    (row,) = answers.SearchAnswer.model_validate(api_search([compact])).results
    assert (row.content, row.truncated) == ("", True)


@pytest.mark.parametrize("nothing", [None, [], {}, {"results": None}])
def test_nothing_found_by_a_plain_sidecar_is_said(nothing: Any) -> None:
    found = answers.SearchAnswer.model_validate(api_search(nothing, "x"))
    assert found.count == 0
    assert found.hint == "The sidecar found nothing."


def test_the_callers_of_a_plain_sidecar_are_links_by_name() -> None:
    caller = {"name": "main", "kind": "function", "file": "b.go", "line": 1, "language": "go"}
    call = {"symbol": caller, "call_site": {"file": "b.go", "line": 7, "context": "Login(x)"}}
    plain = {"query": "Login", "mode": "fast", "symbol": SYMBOL, "callers": [call]}
    found = answers.CallersAnswer.model_validate(api_links(plain, "callers", "Login"))
    (link,) = found.callers
    assert found.definitions[0].file == "a.go"
    assert (link.caller.name, link.callee.name, link.file, link.line) == (
        "main",
        "Login",
        "b.go",
        7,
    )
    assert (link.rule, link.confidence, link.evidence) == ("name_only", "low", "Login(x)")
    assert not found.receipt.complete


def test_a_plain_sidecar_that_knows_no_callers_says_so() -> None:
    found = answers.CallersAnswer.model_validate(
        api_links({"query": "Login", "mode": "fast"}, "callers", "Login")
    )
    assert (found.callers, found.definitions) == ([], [])
    assert found.hint == "The sidecar found no callers."


@pytest.mark.parametrize("nodes", [{"Login": SYMBOL}, [SYMBOL], None])
@pytest.mark.parametrize("wrapped", [True, False])
def test_the_graph_of_a_plain_sidecar_has_names_for_ids(nodes: Any, wrapped: bool) -> None:
    edge = {"caller": "main", "callee": "Login", "file": "b.go", "line": 7}
    graph = {"root": "Login", "nodes": nodes, "edges": [edge], "depth": 2}
    plain = {"query": "Login", "mode": "fast", "graph": graph} if wrapped else graph
    found = answers.GraphAnswer.model_validate(api_graph(plain, "Login"))
    assert found.root == ["Login"]
    assert {(node.id, node.distance) for node in found.nodes} == {("Login", 0), ("main", 1)}
    assert (found.edges[0].caller, found.edges[0].callee) == ("main", "Login")


def test_the_totals_of_a_plain_sidecar_are_a_nameless_project() -> None:
    plain = {"total_files": 4, "total_chunks": 9, "provider": "ollama", "model": "nomic"}
    found = answers.StatusAnswer.model_validate(api_status(plain))
    (row,) = found.projects
    assert (row.project, row.files, row.chunks, row.embedder) == ("", 4, 9, "ollama/nomic")
    assert (found.total_chunks, row.last_indexed_commit) == (9, None)
