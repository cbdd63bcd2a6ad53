"""Structured content at /mcp: a header of the configuration, an argument of the call."""

import pytest

from tests.agents.expanding import expanded
from tests.central.mcp.agent import Agent
from tests.central.mcp.test_hostile import MCP, answer, call
from tests.central.protocol import Api


@pytest.fixture
def shop(api: Api) -> Api:
    api.index({"pay.py": "def pay():\n    return 1\n"})
    return api


@pytest.mark.parametrize(
    ("header", "arguments", "is_sent"),
    [
        ({}, {}, False),
        ({}, {"structured": True}, True),
        ({"codesearch_structured": "true"}, {}, True),
        ({"codesearch_structured": "false"}, {}, False),
        ({"codesearch_structured": "True"}, {"structured": False}, False),
        ({"codesearch_structured": "true"}, {"structured": None}, True),
    ],
    ids=str,
)
def test_structured_content_is_what_the_call_or_else_the_header_says(
    shop: Api,
    agent: Agent,
    header: dict[str, str],
    arguments: dict[str, bool | None],
    is_sent: bool,
) -> None:
    result = answer(agent.post(call(query="pay", **arguments), **MCP, **header))["result"]
    assert ("structuredContent" in result) is is_sent
    assert "\n\nshop/pay.py:1-1  " in result["content"][0]["text"]
    if is_sent:
        assert expanded(result["structuredContent"])["results"][0]["file"] == "pay.py"


def test_what_is_neither_true_nor_false_is_refused(shop: Api, agent: Agent) -> None:
    result = answer(agent.post(call(query="pay"), **MCP, codesearch_structured="yes"))["result"]
    assert result["_meta"]["codesearch/error"] == {
        "code": "invalid",
        "status": 400,
        "message": "Codesearch-Structured must be true or false; it is 'yes'.",
    }


def test_search_code_has_its_rows_in_any_case(shop: Api, agent: Agent) -> None:
    """Specification 4 fixes them."""
    post = agent.post(call("search_code", query="pay"), **MCP, codesearch_structured="false")
    assert answer(post)["result"]["structuredContent"]["results"][0]["path"] == "pay.py"
