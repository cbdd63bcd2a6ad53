"""The tools over real stdio: `codesearch mcp --with chunkhound`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.client.stdio import StdioServerParameters

from tests.e2e.agents import Agent, agent_over_stdio, stdio_server, text_of
from tests.embedding_servers import KEY, Server, openai_server
from tests.integrations.chunkhound.conftest import copy_database, write_project

pytestmark = pytest.mark.timeout(300)  # seconds; a server starts


@pytest.fixture(scope="module")
def embeddings() -> Iterator[Server]:
    with openai_server() as server:
        yield server


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, template: Path) -> Path:
    root = write_project(tmp_path_factory.mktemp("agent") / "project")
    copy_database(template, root / ".chunkhound/db/chunks.db")
    return root


@pytest.fixture(scope="module")
def agent(root: Path, embeddings: Server) -> Iterator[Agent]:
    environ = {
        "HOME": str(root.parent),
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": embeddings.url,
        "AETERNA_URL": "http://127.0.0.1:9",  # so that no service of this machine is started
        "AETERNA_TOKEN": "unused",
        "AETERNA_ORGANIZATION": "acme",
    }
    server = with_chunkhound(stdio_server(root, environ))
    with agent_over_stdio(server, root.parent / "log") as agent:
        yield agent


def with_chunkhound(server: StdioServerParameters) -> StdioServerParameters:
    return server.model_copy(update={"args": [*server.args, "--with", "chunkhound"]})


def test_the_tools_have_the_names_and_parameters_of_the_specification(agent: Agent) -> None:
    tools = agent.tools()
    filters = ["path", "db", "limit", "language", "chunk_type", "exclude", "expand"]
    expected = {
        "code.search": ["query", *filters],
        "code.search_batch": ["queries", *filters],
        "code.status": ["path", "db"],
    }
    for name, parameters in expected.items():
        tool = tools[name]
        assert list(tool.input_schema["properties"]) == parameters
        assert tool.input_schema.get("required", []) == [
            one for one in parameters if one in {"query", "queries"}
        ]
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
    limit = tools["code.search"].input_schema["properties"]["limit"]
    assert (limit["default"], limit["maximum"]) == (10, 100)
    assert "code_search" in tools  # ours are still there


def test_a_search_answers_text_and_records(agent: Agent, root: Path) -> None:
    result = agent.call("code.search", query="authentication logic", language="python", limit=2)
    assert text_of(result).startswith("Found 2 results for: authentication logic\n\n1. [function] ")
    answer = result.structured_content
    assert answer is not None
    assert (answer["project"], answer["backend"], answer["count"]) == (str(root), "chunkhound", 2)
    first = answer["results"][0]
    assert first["language"] == "python"
    assert first["content_start_line"] == first["start_line"]


def test_a_batch_is_one_request(agent: Agent, embeddings: Server) -> None:
    embeddings.requests.clear()
    answer = agent.ask("code.search_batch", queries="auth logic|token validation", limit=4)
    assert (answer["queries"], answer["count"]) == (["auth logic", "token validation"], 4)
    assert len(embeddings.requests) == 1


def test_a_status_counts(agent: Agent) -> None:
    answer = agent.ask("code.status")
    assert (answer["files"], answer["chunks"]) == (5, 8)
    assert answer["languages"] == {"python": 4, "go": 1}


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "status"),
    [
        ("code.search", {"query": " "}, "invalid", 400),
        ("code.search", {"query": "q", "limit": 0}, "invalid", 400),
        ("code.search", {"query": "q", "limit": 101}, "invalid", 400),
        ("code.search", {"query": "q", "chunk_type": "verb"}, "invalid", 400),
        ("code.search", {"query": "q", "top_k": 3}, "invalid", 400),
        ("code.search_batch", {"queries": "||"}, "invalid", 400),
        ("code.search", {"query": "q", "db": "gone.db"}, "INDEX_NOT_FOUND", 404),
        ("code.status", {"db": "gone.db"}, "INDEX_NOT_FOUND", 404),
        ("code.status", {"db": "src/login.py"}, "database_unreadable", 422),
        ("code.search", {"query": "q", "path": ".."}, "INDEX_NOT_FOUND", 404),
    ],
)
def test_errors_have_stable_codes(
    agent: Agent, tool: str, arguments: dict[str, object], code: str, status: int
) -> None:
    refusal = agent.refusal(tool, **arguments)
    assert (refusal["code"], refusal["status"]) == (code, status)
    assert KEY not in refusal["message"]


def test_the_instructions_to_index_name_the_project(agent: Agent, root: Path) -> None:
    message = agent.refusal("code.search", query="q", db="gone.db")["message"]
    assert f"Run: chunkhound index {root}" in message
    assert f"Expected database at: {root}/gone.db" in message


def test_a_search_is_logged_to_standard_error(agent: Agent, root: Path) -> None:
    agent.call("code.search", query="a query of this test")
    log = (root.parent / "log").read_text()
    assert '"span": "code.search", "query": "a query of this test"' in log
    assert KEY not in log


def test_without_the_option_there_are_no_such_tools(root: Path) -> None:
    environ = {"HOME": str(root.parent), "AETERNA_URL": "http://127.0.0.1:9"}
    server = stdio_server(root, environ | {"PATH": os.environ["PATH"]})
    with agent_over_stdio(server, root.parent / "log-without") as agent:
        assert not [name for name in agent.tools() if name.startswith("code.")]
