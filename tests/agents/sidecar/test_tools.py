"""The sidecar's tools as a client of the SDK sees them."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from mcp.types import CallToolResult

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.results import error_in
from aeterna_code_search.agents.sidecar.mapping import (
    api_search,
    sidecar_graph,
    sidecar_links,
    sidecar_search,
    sidecar_status,
)
from aeterna_code_search.agents.text import search_text
from aeterna_code_search.agents.tokens import estimate_tokens
from aeterna_code_search.agents.trace import links_text
from aeterna_code_search.agents.truncation import MIN_TOKENS
from tests.agents.calling import call, sidecar_server, text_of, tools_of
from tests.agents.recorded import RecordedBackend, recorded

TOOLS = {
    "codesearch_search": {"query": "verify a JWT"},
    "codesearch_trace_callers": {"symbol": "AuthMiddleware"},
    "codesearch_trace_callees": {"symbol": "ProcessPayment"},
    "codesearch_trace_graph": {"symbol": "ProcessPayment"},
    "codesearch_index_status": {},
}
BEFORE: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "calls_of_fecc858d.json").read_text(encoding="utf-8")
)


def test_the_five_tools_are_listed_as_safe_to_call_without_asking() -> None:
    tools = tools_of(sidecar_server(RecordedBackend()))
    assert list(tools) == list(TOOLS)
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())


def test_every_tool_answers_the_api_in_grepais_shape() -> None:
    shapes = {
        "codesearch_search": sidecar_search(recorded("search")),
        "codesearch_trace_callers": sidecar_links(recorded("callers"), "callers"),
        "codesearch_trace_callees": sidecar_links(recorded("callees"), "callees"),
        "codesearch_trace_graph": sidecar_graph(recorded("graph"), 2),
        "codesearch_index_status": sidecar_status(recorded("status")),
    }
    for tool, shape in shapes.items():
        result = call(sidecar_server(RecordedBackend()), tool, **TOOLS[tool])
        assert not result.is_error
        assert result.structured_content == shape
        assert text_of(result)


def test_a_search_has_grepais_rows_and_the_text_form_of_the_api() -> None:
    result = call(sidecar_server(RecordedBackend()), "codesearch_search", query="verify a JWT")
    assert result.structured_content == sidecar_search(recorded("search"))
    assert text_of(result) == search_text(recorded("search"))


def test_callers_have_call_sites() -> None:
    server = sidecar_server(RecordedBackend())
    result = call(server, "codesearch_trace_callers", symbol="AuthMiddleware")
    assert result.structured_content == sidecar_links(recorded("callers"), "callers")
    assert text_of(result) == links_text(recorded("callers"), "callers")


@pytest.mark.parametrize(
    "projects", ["auth-service, payments-api", ["auth-service", "payments-api"]]
)
def test_projects_are_a_list_or_names_with_commas(projects: str | list[str]) -> None:
    backend = RecordedBackend()
    call(sidecar_server(backend), "codesearch_search", query="x", projects=projects)
    assert backend.asked[0]["include_projects"] == ["auth-service", "payments-api"]


def test_compact_asks_for_no_content() -> None:
    backend = RecordedBackend()
    call(sidecar_server(backend), "codesearch_search", query="x", compact=True, workspace="acme")
    assert backend.asked[0]["max_content"] == 0
    assert backend.asked[0]["org_id"] == "acme"


def test_files_are_results_if_that_is_asked() -> None:
    backend = RecordedBackend()
    call(sidecar_server(backend), "codesearch_search", query="x", group_by="file")
    call(sidecar_server(backend), "codesearch_search", query="x")
    assert [asked["group_by"] for asked in backend.asked] == ["file", "none"]


def test_without_max_tokens_nothing_is_left_out() -> None:
    long = RecordedBackend()
    whole = call(sidecar_server(long), "codesearch_search", query="x").structured_content
    assert api_search(whole) == recorded("search")
    cut = call(sidecar_server(long), "codesearch_search", query="x", max_tokens=700)
    assert cut.structured_content["left_out"]["counts"]["results"] > 0


@pytest.mark.parametrize("tool", TOOLS)
def test_a_budget_is_for_text_and_structure_together(tool: str) -> None:
    server = sidecar_server(RecordedBackend())
    whole = call(server, tool, **TOOLS[tool])
    cut = call(server, tool, **TOOLS[tool], max_tokens=MIN_TOKENS)
    assert tokens_of(whole) > MIN_TOKENS >= tokens_of(cut)
    assert cut.structured_content["left_out"]["counts"]


def tokens_of(result: CallToolResult) -> int:
    return estimate_tokens(text_of(result)) + estimate_tokens(result.structured_content)


@pytest.mark.parametrize("tool", BEFORE)
def test_a_central_of_before_gets_what_it_got(tool: str) -> None:
    """The digests are of the version before lean structure and budgets for it."""
    asked = BEFORE[tool]
    result = call(sidecar_server(RecordedBackend()), tool, **asked["arguments"])
    sent = json.dumps(result.structured_content, sort_keys=True)
    assert hashlib.sha256(sent.encode()).hexdigest() == asked["structure"]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_refusal_is_told_as_the_tools_of_central_tell_it(tool: str) -> None:
    refusal = ToolError("The token is not valid.", code="unauthenticated", status=401)
    result = call(sidecar_server(RecordedBackend(refusal)), tool, **TOOLS[tool])
    told = error_in(result)
    assert told is not None
    assert (told.code, told.status) == ("unauthenticated", 401)
