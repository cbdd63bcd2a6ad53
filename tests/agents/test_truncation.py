"""Answers cut to a budget: within it, honest about what is left out, and still of one piece."""

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.agents.graph import (
    context_text,
    related_text,
    traverse_text,
    truncate_context,
    truncate_related,
    truncate_traverse,
    truncate_unmigrated,
    truncate_violations,
    unmigrated_text,
    violations_text,
)
from aeterna_code_search.agents.lean import lean
from aeterna_code_search.agents.text import code_text, search_text, status_text
from aeterna_code_search.agents.tokens import estimate_tokens
from aeterna_code_search.agents.trace import graph_text, links_text, truncate_graph, truncate_links
from aeterna_code_search.agents.truncation import (
    DEFAULT_TOKENS,
    MAX_TOKENS,
    MIN_TOKENS,
    Budget,
    largest,
    shown,
    truncate_code,
    truncate_search,
    truncate_status,
)
from tests.agents.recorded import recorded
from tests.property_settings import examples

FEW = examples(10)
TOKENS = st.integers(min_value=MIN_TOKENS, max_value=4_000)
CALLERS = (partial(truncate_links, what="callers"), partial(links_text, what="callers"))
FITTED = {
    "search": (truncate_search, search_text),
    "search_expanded": (truncate_search, search_text),
    "callers": CALLERS,
    "callers_deep": CALLERS,
    "callees": (partial(truncate_links, what="callees"), partial(links_text, what="callees")),
    "graph": (truncate_graph, graph_text),
    "status": (truncate_status, status_text),
    "traverse": (truncate_traverse, traverse_text),
    "violations": (truncate_violations, violations_text),
    "unmigrated": (truncate_unmigrated, unmigrated_text),
    "related": (truncate_related, related_text),
    "context": (truncate_context, context_text),
}


@pytest.mark.parametrize("structure", [None, lean], ids=["text", "both"])
@pytest.mark.parametrize("name", FITTED)
@FEW
@given(tokens=TOKENS)
def test_what_is_sent_stays_within_the_budget_and_what_is_left_out_is_counted(
    name: str, structure: Any, tokens: int
) -> None:
    fit, text = FITTED[name]
    whole = longer(name)
    fitted = fit(whole, Budget(tokens, text, structure))
    assert whole == longer(name)
    sent = shown(lean(fitted)) if structure else None
    assert estimate_tokens(text(fitted)) + (estimate_tokens(sent) if sent else 0) <= tokens
    assert fitted.keys() - {"left_out"} == whole.keys()
    assert fitted.get("receipt", {}).keys() == whole.get("receipt", {}).keys()
    counts = fitted.get("left_out", {"counts": {}})["counts"]
    for path, rows in lists_of(whole).items():
        kept = lists_of(fitted)[path]
        assert len(rows) - len(kept) == counts.get(path, 0), path


def lists_of(answer: dict[str, Any]) -> dict[str, list[Any]]:
    """The lists of an answer that may be cut, by the names that `left_out` has for them."""
    names = {"results", "definitions", "callers", "callees", "nodes", "edges", "projects"}
    names |= {"roots", "violations", "code", "related", "decisions", "policies", "memories"}
    found = {name: answer[name] for name in names if name in answer}
    receipt = answer.get("receipt", {})
    found |= {f"receipt.{name}": receipt[name] for name in ("projects", "missing") if receipt}
    return found


def longer(name: str) -> dict[str, Any]:
    """The recording with its rows several times, which no small budget has room for."""
    answer = recorded(name)
    rows = lists_of(answer)
    for path in rows.keys() - {"nodes", "edges", "roots", "definitions"}:
        if "." not in path:
            answer[path] *= 20
    if "receipt" in answer:
        answer["receipt"]["missing"] *= 20
    return answer


@pytest.mark.parametrize("name", FITTED)
def test_what_fits_is_not_touched(name: str) -> None:
    fit, text = FITTED[name]
    whole = recorded(name)
    assert fit(recorded(name), Budget(estimate_tokens(text(whole)), text)) == whole


@pytest.mark.parametrize("name", ["search", "callers", "status", "violations"])
def test_the_advice_names_a_budget_that_is_enough(name: str) -> None:
    fit, text = FITTED[name]
    advice = fit(longer(name), Budget(MIN_TOKENS, text))["left_out"]["advice"]
    assert f"raise it to {estimate_tokens(text(longer(name)))}, or " in advice


def test_thirty_callers_fit_the_default_budget_with_their_structure() -> None:
    whole = recorded("callers")
    whole["callers"] = (whole["callers"] * 30)[:30]
    whole["count"] = 30
    assert truncate_links(whole, Budget(DEFAULT_TOKENS, CALLERS[1], lean), what="callers") == whole


@FEW
@given(tokens=TOKENS)
def test_one_row_more_would_not_fit(tokens: int) -> None:
    whole = longer("search")
    fitted = truncate_search(whole, Budget(tokens, search_text))
    count = len(fitted["results"])
    if count < len(whole["results"]):
        more = {**fitted, "results": whole["results"][: count + 1], "count": count + 1}
        assert estimate_tokens(search_text(more)) > tokens


def test_no_budget_is_named_where_the_largest_is_too_little() -> None:
    whole = recorded("search")
    whole["results"] *= 300
    assert estimate_tokens(search_text(whole)) > MAX_TOKENS
    advice = truncate_search(whole, Budget(1_000, search_text))["left_out"]["advice"]
    assert "raise" not in advice
    assert "limit" in advice


@FEW
@given(tokens=TOKENS)
def test_links_still_point_at_their_definitions(tokens: int) -> None:
    whole = many_definitions()
    fitted = truncate_links(whole, Budget(tokens, CALLERS[1]), what="callers")
    for link in fitted["callers"]:
        assert fitted["definitions"][link["target"]]["line"] == link["callee"]["line"]


def many_definitions() -> dict[str, Any]:
    """Twenty definitions of one name, of which every second has a caller."""
    whole = recorded("callers")
    (definition,), link = whole["definitions"], whole["callers"][0]
    whole["definitions"] = [{**definition, "line": line} for line in range(1, 21)]
    whole["callers"] = [
        {**link, "target": line - 1, "callee": {**link["callee"], "line": line}}
        for line in range(2, 21, 2)
    ]
    return whole


@FEW
@given(tokens=TOKENS)
def test_edges_have_both_ends_and_the_nearest_nodes_come_first(tokens: int) -> None:
    fitted = truncate_graph(recorded("graph"), Budget(tokens, graph_text))
    ids = {node["id"] for node in fitted["nodes"]}
    assert set(fitted["root"]) <= ids
    assert all({edge["caller"], edge["callee"]} <= ids for edge in fitted["edges"])
    left = [node for node in recorded("graph")["nodes"] if node["id"] not in ids]
    if left and fitted["nodes"]:
        nearest = min(node["distance"] for node in left)
        assert max(node["distance"] for node in fitted["nodes"]) <= nearest
        assert fitted["truncated_reason"] == "max_tokens"


@FEW
@given(tokens=TOKENS)
def test_a_walk_keeps_the_nearest_nodes_and_no_edge_without_its_ends(tokens: int) -> None:
    whole = recorded("traverse")
    row, edge = whole["nodes"][-1], whole["edges"][0]
    root = whole["nodes"][0]["node"]["id"]
    for number in range(60):
        name = f"mem-{number}"
        whole["nodes"].append({"node": {**row["node"], "id": name}, "distance": 1 + number // 30})
        whole["edges"].append({**edge, "source": name, "target": root})
    # Of the definitions of a file that is walked from: such ends are not among the nodes.
    whole["edges"].append({**edge, "source": "code:a/b.py#c", "target": "code:a/b.py#d"})
    fitted = truncate_traverse(whole, Budget(tokens, traverse_text))
    kept = {one["node"]["id"] for one in fitted["nodes"]}
    gone = {one["node"]["id"] for one in whole["nodes"]} - kept
    assert estimate_tokens(traverse_text(fitted)) <= tokens
    assert not [one for one in fitted["edges"] if {one["source"], one["target"]} & gone]
    assert fitted["truncated"] is bool(fitted.get("left_out"))
    if gone and kept:
        distances = {one["node"]["id"]: one["distance"] for one in whole["nodes"]}
        assert max(map(distances.get, kept)) <= min(map(distances.get, gone))


@FEW
@given(tokens=TOKENS)
def test_a_large_organisation_does_not_fill_the_answer_with_its_receipt(tokens: int) -> None:
    whole = recorded("search")
    row = whole["receipt"]["projects"][0]
    others = [{**row, "project": f"service-{number}"} for number in range(500)]
    whole["receipt"]["projects"] = [*others, *whole["receipt"]["projects"]]
    budget = Budget(tokens, search_text, lean)
    fitted = truncate_search(whole, budget)
    assert budget.holds(fitted)
    if tokens > 1_500:
        assert fitted["results"]
        told = {project["project"] for project in fitted["receipt"]["projects"]}
        assert {result["project"] for result in fitted["results"]} <= told


def test_fifty_results_of_search_code_are_cut_to_the_budget() -> None:
    row = {
        "path": "a.py",
        "text": "def f(a):\n    return a\n" * 40,
        "score": 0.5,
        "startLine": 1,
        "endLine": 9,
    }
    row |= {"truncated": False, "project": "a"}
    whole = {"results": [row] * 50, "totalResults": 50, "searchTimeMs": 1.0, "complete": True}
    budget = Budget(8_000, code_text, dict)
    fitted = truncate_code(whole, budget)
    assert fitted["totalResults"] == len(fitted["results"])
    assert fitted["totalResults"] + fitted["left_out"]["counts"]["results"] == 50
    assert 7_000 < budget.size(fitted) <= 8_000


@FEW
@given(tokens=TOKENS)
def test_a_result_that_is_too_long_alone_is_cut_and_says_so(tokens: int) -> None:
    row = {"path": "a.py", "text": "é\n" * 5_000, "score": 0.5, "startLine": 1, "endLine": 9}
    row |= {"truncated": False, "project": "a"}
    whole = {"results": [row, row], "totalResults": 2, "searchTimeMs": 1.0, "complete": True}
    budget = Budget(tokens, code_text, dict)
    fitted = truncate_code(whole, budget)
    (kept,) = fitted["results"]
    assert kept["truncated"] is True
    assert len(kept["text"]) > 50
    assert str(row["text"]).startswith(kept["text"])
    assert budget.holds(fitted)


@pytest.mark.parametrize(("most", "limit", "found"), [(0, 9, 0), (5, 9, 5), (5, 3, 3), (5, 0, 0)])
def test_the_largest_number_that_fits_is_found(most: int, limit: int, found: int) -> None:
    assert largest(most, lambda number: number <= limit) == found


def test_lines_around_matches_go_before_the_matches_themselves() -> None:
    around = [{"line": number, "text": "x" * 400, "truncated": False} for number in range(2, 40)]
    matched = [
        {"line": number, "text": "needle", "ranges": [[0, 6]], "column": 1, "truncated": False}
        for number in (1, 40)
    ]
    answer = recorded("grep")
    result = answer["results"][0] | {"lines": matched, "context": around, "matches": 2}
    cut = truncate_search(
        {**answer, "results": [result], "count": 1}, Budget(MIN_TOKENS, search_text)
    )
    assert [row["line"] for row in cut["results"][0]["lines"]] == [1]
    assert cut["results"][0]["context"] == []
    assert cut["results"][0]["truncated"]
    assert estimate_tokens(search_text(cut)) <= MIN_TOKENS


def test_an_answer_of_which_nothing_fits_does_not_say_that_there_is_nothing() -> None:
    answer = recorded("grep")
    (line,) = answer["results"][0]["lines"][:1]
    answer["results"] = [{**answer["results"][0], "lines": [{**line, "text": "x " * 2_000}]}] * 3
    text = search_text(truncate_search({**answer, "count": 3}, Budget(MIN_TOKENS, search_text)))
    assert text.startswith(f"None of 3 results for {answer['query']} fits into max_tokens")
