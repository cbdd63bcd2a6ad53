"""Each call of a tool has a line in the log."""

import json
import logging
from typing import Any

import pytest

from tests.central.mcp.agent import Agent, Endpoint
from tests.central.protocol import Api


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_calls_are_logged_with_what_came_of_them(
    api: Api, endpoint: Endpoint, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    api.index({"pay.py": "def pay\n"})
    agent = Agent(endpoint, api.token, mode)
    caplog.set_level(logging.INFO)
    agent.answer("search_code", query="pay")
    agent.refusal("search_code", query="pay", top_k=51)
    agent.refusal("code_trace_callers", symbol="ghost")
    agent.call("no_such_tool")
    malformed = {"name": "code_search", "arguments": "pay"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": malformed}
    accept = "application/json, text/event-stream"
    agent.post(json.dumps(message).encode(), accept=accept, content_type="application/json")
    lines: list[Any] = [one.msg for one in caplog.records if one.name == "central.mcp.app"]
    assert [(line["tool"], line["outcome"]) for line in lines] == [
        ("search_code", "ok"),
        ("search_code", "invalid"),
        ("code_trace_callers", "symbol_not_found"),
        ("no_such_tool", "unknown_tool"),
        ("code_search", "invalid"),
    ]
    assert all(line["organization"] == "acme" and line["took_ms"] >= 0 for line in lines)
    assert len({line["request_id"] for line in lines}) == 5
    assert api.token not in caplog.text
