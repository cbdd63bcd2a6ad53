"""What a coding agent asks, over both connections: the scenarios of spec 3 by their names."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from central.http.lanes import READS_IN_FRONT
from scripts.local_service import Organization
from tests.e2e.agents import (
    Agent,
    agent_over_http,
    agent_over_stdio,
    settings_of,
    stdio_server,
    text_of,
)

FIVE = {
    "code_search",
    "code_trace_callers",
    "code_trace_callees",
    "code_graph",
    "code_index_status",
}


@pytest.fixture(scope="module", params=["http", "stdio"])
def agent(
    request: pytest.FixtureRequest,
    examples: Organization,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Agent]:
    """An agent of the example organisation."""
    if request.param == "http":
        with agent_over_http(examples.service.url, examples.token) as connected:
            yield connected
        return
    directory: Path = tmp_path_factory.mktemp("agent")
    server = stdio_server(directory, settings_of(examples, directory / "data"))
    with agent_over_stdio(server, directory / "errors") as connected:
        yield connected


def test_tool_discovery(agent: Agent) -> None:
    """Spec: the response includes the five; each says what goes in, and if it writes.

    What comes out is in the descriptions: output schemas would cost an agent 11,000 tokens.
    """
    tools = agent.tools()

    assert tools.keys() >= FIVE
    for tool in tools.values():
        assert tool.description
        assert tool.annotations
        assert tool.annotations.read_only_hint is (tool.name != "graph_link")
        assert tool.input_schema["type"] == "object"
        assert tool.output_schema is None


def test_search_code_by_meaning(agent: Agent) -> None:
    """Spec: chunks that match the meaning, with file paths, line numbers and scores."""
    answer = agent.ask("code_search", query="user authentication flow")

    assert answer["results"]
    assert any("auth" in row["file"] for row in answer["results"][:3])
    for row in answer["results"]:
        assert row["file"]
        assert 1 <= row["start_line"] <= row["end_line"]
        assert 0.0 <= row["score"] <= 1.0


def test_search_with_limit(agent: Agent) -> None:
    """Spec: at most 5, sorted by relevance."""
    answer = agent.ask("code_search", query="error handling", limit=5)

    scores = [row["score"] for row in answer["results"]]
    assert 1 <= len(scores) <= 5
    assert scores == sorted(scores, reverse=True)


def test_trace_callers(agent: Agent) -> None:
    """Spec: all functions that call HandleLogin, with file locations."""
    answer = agent.ask("code_trace_callers", symbol="HandleLogin", project="auth-service")

    found = {row["caller"]["qualified_name"] for row in answer["callers"]}
    assert found == {"create_app", "build_kiosk_login", "HandleLoginTest.setUp"}
    assert all(row["file"] and row["line"] for row in answer["callers"])


def test_trace_callees(agent: Agent) -> None:
    """Spec: all functions that ProcessPayment calls, with file locations."""
    answer = agent.ask("code_trace_callees", symbol="ProcessPayment", project="payments-api")

    found = {row["callee"]["qualified_name"] for row in answer["callees"]}
    assert found >= {"verify_token", "FraudScreen.decide", "CardNetwork.authorise", "new_id"}
    assert all(row["file"] and row["line"] for row in answer["callees"])


def test_build_call_graph(agent: Agent) -> None:
    """Spec: callers and callees of AuthMiddleware up to 2 levels deep."""
    answer = agent.ask("code_graph", symbol="AuthMiddleware", depth=2)

    assert {node["distance"] for node in answer["nodes"]} == {0, 1, 2}
    root = set(answer["root"])
    assert {edge["callee"] in root for edge in answer["edges"]} == {True, False}


def test_cross_repository_search(agent: Agent) -> None:
    """Spec: matching chunks from ALL of five repositories, with project names."""
    five = {"auth-service", "payments-api", "billing-service", "partner-portal", "notifications"}
    every = {one["project"] for one in agent.ask("code_index_status")["projects"]}

    answer = agent.ask(
        "code_search",
        query="authentication flow",
        workspace="org-acme",
        exclude_projects=sorted(every - five),
        limit=50,
        max_tokens=50_000,
    )

    assert {row["project"] for row in answer["results"]} == five
    assert answer["receipt"]["complete"]


def test_project_filtered_search(agent: Agent) -> None:
    """Spec: results only from auth-service."""
    answer = agent.ask(
        "code_search", query="JWT token", workspace="org-acme", include_projects=["auth-service"]
    )

    assert {row["project"] for row in answer["results"]} == {"auth-service"}


def test_trace_callers_across_repos(agent: Agent) -> None:
    """Spec: callers from both payments-api and billing-service."""
    answer = agent.ask("code_trace_callers", symbol="AuthMiddleware", workspace="org-acme")

    found = {row["project"] for row in answer["callers"]}
    assert found >= {"payments-api", "billing-service"}


def test_the_status_tells_what_is_indexed(agent: Agent) -> None:
    answer = agent.ask("code_index_status", project="payments-api")

    [row] = answer["projects"]
    assert row["state"] == "current"
    assert row["last_indexed_commit"]


def test_simple_search(agent: Agent) -> None:
    answer = agent.ask("search_code", query="retry with exponential back-off", top_k=3)

    assert answer["totalResults"] == len(answer["results"]) <= 3
    assert any("retry" in row["path"] for row in answer["results"])


def test_a_tool_answers_in_text_too(agent: Agent) -> None:
    text = text_of(agent.call("code_trace_callers", symbol="retry_call", project="common-utils"))

    assert "payments-api/" in text
    assert "Complete." in text


def test_a_mistake_is_answered_with_what_to_do(agent: Agent) -> None:
    refusal = agent.refusal("code_trace_callers", symbol="AuthMidleware")

    assert (refusal["code"], refusal["status"]) == ("symbol_not_found", 404)
    assert "AuthMiddleware" in refusal["near"]


def test_an_argument_that_is_out_of_range_is_named(agent: Agent) -> None:
    result = agent.call("code_search", query="x", limit=500)

    assert result.is_error
    assert "limit" in text_of(result)


def test_another_organisations_workspace_does_not_exist(agent: Agent) -> None:
    refusal = agent.refusal("code_search", query="token", workspace="org-globex")

    assert refusal["status"] == 404


def test_many_calls_at_once_are_each_answered(agent: Agent) -> None:
    words = [f"payment number {number}" for number in range(READS_IN_FRONT)]

    started = [agent.start("code_search", query=word, limit=1) for word in words]

    answers = [call.result(60) for call in started]
    assert [text_of(answer) for answer in answers if answer.is_error] == []
    heads = [text_of(answer).partition("\n")[0] for answer in answers]
    assert [head.endswith(f"1 result for {word}") for head, word in zip(heads, words, strict=True)]


def test_a_cancelled_call_leaves_the_server_serving(agent: Agent) -> None:
    started = [agent.start("code_graph", symbol="retry_call", depth=5) for _ in range(3)]
    for one in started:
        one.cancel()

    assert agent.ask("code_search", query="retry")["results"]
