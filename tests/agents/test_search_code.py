"""`search_code`: the scenarios of its specification."""

import time
from collections.abc import Mapping
from typing import Any

import pytest

from aeterna_code_search.agents.backend import INDEX_NOT_FOUND, LOCAL_HINTS
from aeterna_code_search.agents.results import error_in
from tests.agents.calling import call, code_server, text_of, tools_of
from tests.agents.recorded import RecordedBackend, recorded

SPECIFIED = {"path", "text", "score", "startLine", "endLine"}


def test_tool_definition() -> None:
    """What the specification's task 1.1 and 3.1 write, word for word; only read, so never asked."""
    tool = tools_of(code_server(RecordedBackend()))["search_code"]
    assert tool.description is not None
    assert tool.description.startswith(
        "Search your codebase for relevant code using natural language"
    )
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint
    query, top_k = (tool.input_schema["properties"][name] for name in ("query", "top_k"))
    assert tool.input_schema["required"] == ["query"]
    assert (query["type"], query["minLength"]) == ("string", 1)
    assert query["description"] == "The question or code concept to search for"
    assert (top_k["type"], top_k["minimum"], top_k["maximum"]) == ("integer", 1, 50)
    assert top_k["default"] == 10
    assert top_k["description"] == "Number of results to return (1-50)"


def test_query_reaches_the_search_as_it_was_written() -> None:
    backend = RecordedBackend()
    call(code_server(backend), "search_code", query="where are JWTs verified?")
    assert backend.asked[0]["query"] == "where are JWTs verified?"


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_empty_query_is_refused(query: str) -> None:
    told = error_in(call(code_server(RecordedBackend()), "search_code", query=query))
    assert told is not None
    assert (told.code, told.status) == ("invalid", 400)


def test_result_formatting() -> None:
    answer = call(code_server(RecordedBackend()), "search_code", query="verify a JWT")
    found = answer.structured_content
    rows = recorded("search")["results"]
    assert {"results", "totalResults", "searchTimeMs"} <= set(found)
    assert found["totalResults"] == len(found["results"]) == len(rows)
    for told, row in zip(found["results"], rows, strict=True):
        assert set(told) >= SPECIFIED
        assert told["truncated"] == row["truncated"]
        assert (told["path"], told["text"]) == (row["file"], row["content"])
        assert (told["startLine"], told["endLine"]) == (row["start_line"], row["end_line"])
        assert (told["project"], told["commit"]) == (row["project"], row["commit"])
        assert 0.0 <= told["score"] <= 1.0


def test_results_are_sorted_by_score() -> None:
    answer = call(code_server(RecordedBackend()), "search_code", query="verify a JWT")
    scores = [row["score"] for row in answer.structured_content["results"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("top_k", [1, 3])
def test_top_k_limits_the_results(top_k: int) -> None:
    backend = RecordedBackend()
    answer = call(code_server(backend), "search_code", query="verify a JWT", top_k=top_k)
    assert len(answer.structured_content["results"]) == top_k
    assert backend.asked[0]["limit"] == top_k


def test_top_k_is_10_by_default() -> None:
    backend = RecordedBackend()
    call(code_server(backend), "search_code", query="verify a JWT")
    assert backend.asked[0]["limit"] == 10


@pytest.mark.parametrize("top_k", [0, 51, -1])
def test_top_k_outside_1_to_50_is_refused(top_k: int) -> None:
    told = error_in(call(code_server(RecordedBackend()), "search_code", query="x", top_k=top_k))
    assert told is not None
    assert told.code == "invalid"
    assert told.message.startswith("top_k must be ")


def test_index_not_found_names_the_command_that_builds_the_index() -> None:
    nothing = RecordedBackend(search="search_of_nothing")
    result = call(code_server(nothing), "search_code", query="x")
    assert result.is_error
    told = error_in(result)
    assert told is not None
    assert (told.code, told.status) == (INDEX_NOT_FOUND, 404)
    assert "codesearch init" in LOCAL_HINTS.build_index
    assert text_of(result).endswith(LOCAL_HINTS.build_index)


def test_an_index_without_a_match_is_no_error() -> None:
    empty = RecordedBackend(search="search_empty")
    result = call(code_server(empty), "search_code", query="x")
    assert not result.is_error
    assert result.structured_content["totalResults"] == 0
    assert result.structured_content["hint"]


class TimedBackend(RecordedBackend):
    """Measures itself."""

    took_ms = 0.0

    async def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded search."""
        started = time.perf_counter()
        answer = await super().search(body)
        self.took_ms = (time.perf_counter() - started) * 1000
        return answer


def test_search_timing_is_measured_around_the_search() -> None:
    backend = TimedBackend()
    started = time.perf_counter()
    answer = call(code_server(backend), "search_code", query="verify a JWT")
    whole_ms = (time.perf_counter() - started) * 1000
    told = answer.structured_content["searchTimeMs"]
    assert backend.took_ms - 0.1 <= told <= whole_ms
