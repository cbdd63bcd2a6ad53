"""The `code_*` tools as a client of the SDK sees them."""

import json

import pytest

from aeterna_code_search.agents.backend import INDEX_NOT_FOUND, LOCAL_HINTS, ToolError
from aeterna_code_search.agents.lean import lean
from aeterna_code_search.agents.results import ERROR_KEY, error_in
from tests.agents.calling import call, code_server, text_of, tools_of
from tests.agents.expanding import expanded
from tests.agents.recorded import RecordedBackend, recorded

TOOLS = {
    "code_search": {"query": "verify a JWT"},
    "code_grep": {"query": "verify_token("},
    "code_read_file": {"project": "auth-service", "path": "acme_auth/tokens.py"},
    "code_list_files": {"project": "auth-service"},
    "code_history": {"project": "auth-service", "path": "acme_auth"},
    "code_trace_callers": {"symbol": "AuthMiddleware"},
    "code_trace_callees": {"symbol": "ProcessPayment"},
    "code_graph": {"symbol": "ProcessPayment"},
    "code_definition": {
        "project": "auth-service",
        "file": "acme_auth/app.py",
        "line": 44,
        "column": 20,
    },
    "code_index_status": {},
    "search_code": {"query": "verify a JWT"},
    "code_map": {},
    "code_consumers": {"project": "common-utils"},
    "code_unused": {"project": "common-utils"},
    "graph_context": {"project": "auth-service", "file": "acme_auth/tokens.py"},
    "graph_traverse": {"from": "ADR-42"},
    "graph_related": {"id": "ADR-42", "target_type": "code"},
    "graph_violations": {"project": "auth-service"},
    "graph_unmigrated": {"project": "auth-service"},
    "graph_link": {"from": "mem-123", "to": "code:src/auth/login.rs", "type": "derived_from"},
}
RECORDINGS = {
    "code_search": "search",
    "code_grep": "grep",
    "code_read_file": "content",
    "code_list_files": "files",
    "code_history": "history",
    "code_trace_callers": "callers",
    "code_trace_callees": "callees",
    "code_graph": "graph",
    "code_definition": "definition",
    "code_index_status": "status",
    "code_map": "map",
    "code_consumers": "consumers",
    "code_unused": "unused",
    "graph_context": "context",
    "graph_traverse": "traverse",
    "graph_related": "related",
    "graph_violations": "violations",
    "graph_unmigrated": "unmigrated",
    "graph_link": "link",
}
MOSTLY_CONTENT = {"code_read_file", "graph_related", "graph_link"}
WRITES = {"graph_link"}
OF_ONE_ORGANIZATION = {
    *("search_code", "code_grep", "code_read_file", "code_list_files", "code_history"),
    "code_definition",
}


def test_every_tool_but_one_is_listed_as_safe_to_call_without_asking() -> None:
    tools = tools_of(code_server(RecordedBackend()))
    assert list(tools) == list(TOOLS)
    for name, tool in tools.items():
        assert tool.title
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (name not in WRITES)
        assert tool.annotations.idempotent_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False


def test_descriptions_say_when_to_use_a_tool_and_fit_into_an_agents_context() -> None:
    for tool in tools_of(code_server(RecordedBackend())).values():
        description = tool.description or ""
        assert not description.startswith(" ")
        assert "\n    " not in description
        assert 100 < len(description) < 750
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"


def test_all_definitions_take_less_than_5000_tokens() -> None:
    tools = tools_of(code_server(RecordedBackend())).values()
    assert not any(tool.output_schema for tool in tools)
    assert not any(
        "title" in schema for tool in tools for schema in tool.input_schema["properties"].values()
    )
    told = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    # 4,990 tokens by o200k; 5,000 are allowed
    assert len(json.dumps(told, separators=(",", ":"))) <= 21_260


@pytest.mark.parametrize(("tool", "recording"), RECORDINGS.items())
def test_structured_content_comes_if_it_is_asked_for(tool: str, recording: str) -> None:
    server = code_server(RecordedBackend())
    plain = call(server, tool, **TOOLS[tool])
    result = call(server, tool, structured=True, **TOOLS[tool])
    assert not result.is_error
    assert plain.structured_content is None
    assert result.structured_content == lean(recorded(recording))
    assert text_of(result) == text_of(plain)


@pytest.mark.parametrize("tool", RECORDINGS)
def test_the_text_form_is_smaller_than_half_of_the_structured_one(tool: str) -> None:
    result = call(code_server(RecordedBackend()), tool, **TOOLS[tool])
    # A search is mostly snippets, and so are relatives; a link is one line.
    share = 0.95 if "search" in tool or tool in MOSTLY_CONTENT else 0.5
    assert len(text_of(result)) < share * len(str(recorded(RECORDINGS[tool])))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_clients_of_older_revisions_get_the_same(mode: str) -> None:
    server = code_server(RecordedBackend())
    result = call(server, "code_search", mode, query="verify a JWT", structured=True)
    assert result.structured_content == lean(recorded("search"))
    failure = call(code_server(RecordedBackend()), "code_search", mode, query=" ")
    assert failure.is_error
    assert (failure.meta or {})[ERROR_KEY]["code"] == "invalid"


@pytest.mark.parametrize("workspace", ["acme", "org-acme"])
def test_the_workspace_is_the_organisation(workspace: str) -> None:
    backend = RecordedBackend()
    for tool, arguments in TOOLS.items():
        if tool not in OF_ONE_ORGANIZATION:
            call(code_server(backend), tool, workspace=workspace, **arguments)
    assert {asked["org_id"] for asked in backend.asked} == {workspace}


def test_the_workspace_is_taken_by_all_and_told_by_two() -> None:
    """A token has one organisation, so the argument would cost every agent for nothing."""
    tools = tools_of(code_server(RecordedBackend())).items()
    told = {name for name, tool in tools if "workspace" in tool.input_schema["properties"]}
    assert told == {"code_search", "code_trace_callers"}


@pytest.mark.parametrize("nothing", ["", None])
@pytest.mark.parametrize("tool", TOOLS)
def test_blank_and_null_are_not_given(tool: str, nothing: str | None) -> None:
    backend, server = RecordedBackend(), code_server(RecordedBackend())
    optional = set(tools_of(server)[tool].input_schema["properties"]) - set(TOOLS[tool])
    call(code_server(backend), tool, **TOOLS[tool])
    result = call(code_server(backend), tool, **TOOLS[tool], **dict.fromkeys(optional, nothing))
    assert not result.is_error
    assert backend.asked[0] == backend.asked[1]


def test_what_does_not_exist_is_repeated_in_a_few_characters_of_one_line() -> None:
    server = code_server(RecordedBackend())
    for result in (
        call(server, "x" * 10_000 + "\n"),
        call(server, "code_search", **dict.fromkeys([f"{n}\n" + "x" * 9_999 for n in range(99)])),
    ):
        text = text_of(result)
        assert len(text) < 1_000
        assert "\n" not in text


def test_an_unknown_tool_is_refused_with_the_names_that_there_are() -> None:
    told = error_in(call(code_server(RecordedBackend()), "grep"))
    assert told is not None
    assert (told.code, told.status) == ("unknown_tool", 404)
    assert told.message == f"Unknown tool 'grep'. Known tools: {', '.join(TOOLS)}."


@pytest.mark.parametrize("nothing", [{}, {"workspace": None}, {"workspace": ""}])
def test_without_a_workspace_the_credential_decides(nothing: dict[str, str | None]) -> None:
    backend = RecordedBackend()
    call(code_server(backend), "code_search", query="x", **nothing)
    assert "org_id" not in backend.asked[0]


def test_every_argument_reaches_the_service_and_only_those_that_are_given() -> None:
    backend = RecordedBackend()
    filters = {
        "include_projects": ["auth-service"],
        "exclude_projects": ["legacy-monolith"],
        "language": "python",
        "chunk_type": "function",
        "path": "acme_auth/",
        "exclude": "test|mock",
        "expand": 3,
        "mode": "lexical",
        "min_similarity": 0.4,
        "cursor": "next",
    }
    call(code_server(backend), "code_search", query="x", limit=3, **filters)
    choice = {"project": "auth-service", "file": "a.py", "line": 3, "min_confidence": "low"}
    call(code_server(backend), "code_search", queries=["x", "y"], limit=3)
    call(code_server(backend), "code_trace_callers", symbol="f", depth=2, **choice)
    call(code_server(backend), "code_graph", symbol="f", depth=1)
    assert backend.asked == [
        {"query": "x", "limit": 3, **filters, "group_by": "file"},
        {"queries": ["x", "y"], "limit": 3, "expand": 0, "mode": "hybrid", "group_by": "file"},
        {"symbol": "f", "depth": 2, "limit": 30, **choice},
        {"symbol": "f", "depth": 1, "limit": 50, "min_confidence": "medium"},
    ]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_refusal_has_its_code_status_and_message_in_the_text_and_for_programs(tool: str) -> None:
    refusal = ToolError("Give a token with the scope search.", code="forbidden", status=403)
    result = call(code_server(RecordedBackend(refusal)), tool, **TOOLS[tool])
    assert result.is_error
    assert result.structured_content is None
    assert text_of(result) == "forbidden (403): Give a token with the scope search."
    told = error_in(result)
    assert told is not None
    assert (told.code, told.status, told.message) == ("forbidden", 403, refusal.message)


UNKNOWN = ToolError(
    "No definition is called so. See /api/v1/index/status for what is indexed.",
    code="symbol_not_found",
    status=404,
)
TRACES = ["code_trace_callers", "code_trace_callees", "code_graph"]


@pytest.mark.parametrize("tool", TRACES)
def test_an_unknown_symbol_points_at_the_tool_that_tells_what_is_indexed(tool: str) -> None:
    told = error_in(call(code_server(RecordedBackend(UNKNOWN, status="status")), tool, symbol="f"))
    assert told is not None
    assert (told.code, told.status) == ("symbol_not_found", 404)
    assert told.message.endswith("See code_index_status for what is indexed.")


@pytest.mark.parametrize("tool", TRACES)
def test_an_unknown_symbol_without_any_index_is_index_not_found(tool: str) -> None:
    backend = RecordedBackend(UNKNOWN, status="status_of_nothing")
    told = error_in(call(code_server(backend), tool, symbol="f", workspace="org-acme"))
    assert told is not None
    assert (told.code, told.status) == (INDEX_NOT_FOUND, 404)
    assert told.message.endswith(LOCAL_HINTS.build_index)
    assert backend.asked[-1] == {"org_id": "org-acme"}


@pytest.mark.parametrize("tool", TRACES[:2])
def test_kinds_of_use_go_to_the_service(tool: str) -> None:
    backend = RecordedBackend()
    call(code_server(backend), tool, symbol="f", kind=["import", "call"])
    assert backend.asked[0]["kind"] == ["import", "call"]


def test_a_definition_is_told_with_the_evidence_and_references_to_it_on_request() -> None:
    backend, place = RecordedBackend(), TOOLS["code_definition"]
    assert text_of(call(code_server(backend), "code_definition", **place)).startswith(
        "1 definition of HandleLogin (call) at auth-service/acme_auth/app.py:44\n\n"
        "auth-service/acme_auth/handlers.py:42  class HandleLogin  (acme-auth 1.4.2)\n"
        "    class HandleLogin\n"
        "    high, import  from acme_auth.handlers import HandleLogin, "
    )
    asked = {**place, "references": True, "limit": 5, "structured": True}
    listed = call(code_server(backend), "code_definition", **asked)
    assert listed.structured_content == lean(recorded("references"))
    assert text_of(listed).startswith("3 references of HandleLogin\n\n[0] auth-service/acme_auth/")
    assert "auth-service/acme_auth/app.py:44  create_app  high, import\n" in text_of(listed)
    assert backend.asked == [place, {**place, "limit": 5}]


def test_an_unexpected_exception_tells_the_agent_nothing_of_itself() -> None:
    backend = RecordedBackend(RuntimeError("secret of the server"))
    result = call(code_server(backend), "code_search", query="x")
    assert result.is_error
    assert "secret" not in text_of(result)
    assert error_in(result) is None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "symbol is required."),
        ({"symbol": ""}, "symbol must not be empty."),
        ({"symbol": "\t \n"}, "symbol must not be blank."),
        ({"symbol": "f", "depth": 6}, "depth must be less than or equal to 5."),
        ({"symbol": "f", "limit": 0}, "limit must be greater than or equal to 1."),
        ({"symbol": "f", "max_tokens": 5}, "max_tokens must be greater than or equal to 500."),
        ({"symbol": "f", "min_confidence": "x"}, "must be 'high', 'medium' or 'low'."),
        ({"symbol": "f", "caller_projects": ["a", 3]}, "caller_projects[1] must be a valid string"),
        ({"symbol": "f", "depth": "two"}, "depth must be a valid integer"),
        ({"symbol": "f" * 1_501}, "symbol must have at most 1500 characters."),
        ({"symbol": "f", "caller_projects": ["a"] * 1_001}, "must have at most 1000 items, not"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_arguments_are_refused_before_anything_is_asked(
    arguments: dict[str, object], complaint: str
) -> None:
    backend = RecordedBackend()
    result = call(code_server(backend), "code_trace_callers", **arguments)
    told = error_in(result)
    assert told is not None
    assert (told.code, told.status) == ("invalid", 400)
    assert complaint in told.message
    assert backend.asked == []


def test_a_file_may_be_called_a_blank() -> None:
    backend = RecordedBackend("references")
    place = {"project": "auth-service", "file": " ", "line": 1, "column": 0}
    call(code_server(backend), "code_definition", **place, references=True)
    assert backend.asked[0]["file"] == " "


def test_a_link_is_described_and_asked_from_one_node_to_another() -> None:
    """`from` is no name in Python; agents know the tool's argument by no other."""
    backend = RecordedBackend()
    for tool in ("graph_link", "graph_traverse"):
        schema = tools_of(code_server(backend))[tool].input_schema
        assert "from" in schema["required"]
        assert "source" not in schema["properties"]
        assert schema["properties"]["from"]["description"].startswith("ADR-042, ")
    link = {"from": "mem-123", "to": "code:a.py", "type": "derived_from", "weight": 0.5}
    call(code_server(backend), "graph_link", **link, properties={"why": "seen"})
    call(code_server(backend), "graph_traverse", **{"from": "ADR-42"}, types=["implements"])
    assert backend.asked == [
        {**link, "properties": {"why": "seen"}},
        {"from": "ADR-42", "types": ["implements"], "direction": "both", "depth": 1, "limit": 100},
    ]
    told = error_in(call(code_server(backend), "graph_link", source="a", to="b", type="c"))
    assert told is not None
    assert told.message.startswith("Unknown argument 'source'. Known arguments: from, to, type")
    told = error_in(call(code_server(backend), "graph_link", to="b", type="c"))
    assert told is not None
    assert told.message == "from is required."


@pytest.mark.parametrize("both", [{}, {"query": "x", "queries": ["y"]}, {"query": ""}])
def test_a_search_is_for_a_query_or_for_several(both: dict[str, object]) -> None:
    backend = RecordedBackend()
    told = error_in(call(code_server(backend), "code_search", **both))
    assert told is not None
    assert (told.code, told.status) == ("invalid", 400)
    assert told.message == "Pass either query or queries, not both."
    assert backend.asked == []


def test_lists_that_come_as_json_in_a_string_are_understood() -> None:
    backend = RecordedBackend()
    call(code_server(backend), "code_search", query="x", include_projects='["auth-service"]')
    assert backend.asked[0]["include_projects"] == ["auth-service"]


def test_an_empty_answer_explains_itself() -> None:
    empty = RecordedBackend(search="search_empty", callers="callers_empty")
    searched = text_of(call(code_server(empty), "code_search", query="verify a JWT"))
    assert searched.startswith("No results for verify a JWT\n\nNothing passed the filters.")
    assert "Incomplete: support-desk (never indexed)." in searched
    traced = text_of(call(code_server(empty), "code_trace_callers", symbol="reseller_applications"))
    assert traced.startswith("No callers of reseller_applications\n")
    assert "see receipt" in recorded("callers_empty")["hint"]
    assert recorded("callers_empty")["hint"].replace("see receipt.missing", "see below") in traced


def test_where_nothing_is_indexed_an_answer_says_how_to_build_the_index() -> None:
    nothing = RecordedBackend(search="search_of_nothing", status="status_of_nothing")
    result = call(code_server(nothing), "code_search", query="x")
    assert LOCAL_HINTS.build_index in text_of(result)
    status = call(code_server(nothing), "code_index_status")
    assert LOCAL_HINTS.build_index in text_of(status)


def test_an_unknown_project_is_not_taken_for_a_missing_index() -> None:
    backend = RecordedBackend(search="search_of_unknown")
    result = call(code_server(backend), "code_search", query="x", include_projects=["nope"])
    assert LOCAL_HINTS.build_index not in text_of(result)
    assert "code_index_status lists the projects" in text_of(result)
    assert "Incomplete: nope (no such visible project)." in text_of(result)


def test_a_refusal_names_things_as_the_tool_does() -> None:
    refusal = ToolError("No such organisation; check org_id.", code="not_found", status=404)
    result = call(code_server(RecordedBackend(refusal)), "code_search", query="x", workspace="y")
    assert text_of(result) == "not_found (404): No such organisation; check workspace."


def test_names_of_repositories_are_not_translated() -> None:
    near = ["require_org_id", "/api/v1/index/status"]
    refusal = ToolError("Check org_id.", code="symbol_not_found", status=404, near=near)
    backend = RecordedBackend(refusal, status="status")
    result = call(code_server(backend), "code_graph", symbol="org_id")
    sentence = "Check workspace. Similar names: require_org_id, /api/v1/index/status."
    assert text_of(result) == f"symbol_not_found (404): {sentence}"


def test_an_answer_that_is_too_long_says_in_both_forms_what_is_left_out() -> None:
    backend = RecordedBackend()
    asked = {"query": "verify a JWT", "max_tokens": 1_500, "structured": True}
    result = call(code_server(backend), "code_search", **asked)
    answer = expanded(result.structured_content)
    left = answer["left_out"]["counts"]["results"]
    assert left == 5 - len(answer["results"]) > 0
    assert answer["count"] == len(answer["results"])
    assert "next_cursor" not in answer  # it would go on behind what is left out
    assert f"Omitted: {left} of results" in text_of(result)
    assert "max_tokens=1500" in text_of(result)
