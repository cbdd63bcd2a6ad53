"""Names of tools: one that is no name in Python, and others that mean the same tool."""

import pytest
from mcp.server import MCPServer
from mcp.types import CallToolResult

from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.results import error_in, success
from tests.agents.calling import call, text_of, tools_of


@pytest.fixture(scope="module")
def server() -> MCPServer[None]:
    server: MCPServer[None] = MCPServer("named", log_level="ERROR")

    async def ask(query: str) -> CallToolResult:
        """Answer a question."""
        return success(f"answer to {query}", {"query": query})

    tools = ToolRegistry(server, words={})
    tools.add(
        ask,
        title="Ask",
        name="Ask.All",
        aliases=("ask_all", "ask-all"),
        is_always_structured=True,
    )
    return server


def test_a_tool_is_listed_once_by_its_own_name(server: MCPServer[None]) -> None:
    assert list(tools_of(server)) == ["Ask.All"]


@pytest.mark.parametrize("name", ["Ask.All", "ask_all", "ask-all"])
def test_a_call_by_an_alias_is_a_call_of_the_tool(server: MCPServer[None], name: str) -> None:
    assert text_of(call(server, name, query="why")) == "answer to why"


@pytest.mark.parametrize("name", ["Ask.All", "ask_all"])
def test_arguments_are_checked_by_every_name(server: MCPServer[None], name: str) -> None:
    told = error_in(call(server, name, wrong="why"))

    assert told is not None
    assert told.message.startswith("Unknown argument 'wrong'. Known arguments: query.")


def test_function_s_own_name_is_no_tool(server: MCPServer[None]) -> None:
    told = error_in(call(server, "ask", query="why"))

    assert told is not None
    assert told.code == "unknown_tool"


def test_of_many_unknown_arguments_the_first_few_are_named(server: MCPServer[None]) -> None:
    told = error_in(call(server, "ask_all", **{f"a{n:04}{'b' * 900}": 1 for n in range(2_000)}))
    assert told is not None
    assert "and 1,995 more. Known arguments: query." in told.message
    assert len(told.message) < 1_000
