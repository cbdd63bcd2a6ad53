"""The tool's specification, test by test, against a real service with an indexed checkout."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.integrations.langchain import CodebaseSearchTool
from tests.integrations.langchain.conftest import MakeTool

QUERY = json.dumps({"query": "how does user authentication work"})
ROW = {"file", "type", "name", "lines", "similarity", "code_snippet"}


def ask(tool: CodebaseSearchTool, text: str = QUERY) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(tool._run(text))
    return answer


def failure(error: str) -> dict[str, Any]:
    return {"success": False, "results": [], "count": 0, "error": error}


# The twelve tests of the specification


def test_rag_disabled(make_tool: MakeTool) -> None:
    error = "RAG is disabled. Enable with rag.enabled=true in config.yaml"
    assert ask(make_tool(rag=False)) == failure(error)
    assert ask(make_tool(rag=False, enabled=False), "not JSON") == failure(error)


def test_tool_disabled(make_tool: MakeTool) -> None:
    answer = ask(make_tool(enabled=False), "not JSON")
    assert answer == failure(answer["error"])
    assert answer["error"].startswith("Codebase search is disabled. Index your codebase first")
    assert answer["error"].endswith("tools.codebase_search.enabled=true in config.yaml")


@pytest.mark.parametrize("text", [QUERY, "not JSON", "{}"])
def test_no_index(
    make_tool: MakeTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """The machine never had a service: none is started for the question either."""
    data_dir = tmp_path / "data"
    monkeypatch.setenv("AETERNA_DATA_DIR", str(data_dir))
    answer = ask(make_tool(directory=tmp_path), text)
    assert answer == failure(answer["error"])
    assert answer["error"].startswith(f"No index found at {data_dir}. Index your codebase first")
    assert f"`codesearch index` in {tmp_path}" in answer["error"]
    assert not data_dir.exists()


def test_invalid_json(make_tool: MakeTool) -> None:
    answer = ask(make_tool(), "how does authentication work")
    error = "Invalid JSON input: Expecting value: line 1 column 1 (char 0)"
    assert answer == failure(error)


@pytest.mark.parametrize("text", ["{}", '{"q": "auth"}', "[]", '"query"', "1", "null"])
def test_missing_query(make_tool: MakeTool, text: str) -> None:
    assert ask(make_tool(), text) == failure("Missing required 'query' parameter")


@pytest.mark.parametrize("query", ["", "  ", "\n\t", None])
def test_empty_query(make_tool: MakeTool, query: str | None) -> None:
    answer = ask(make_tool(), json.dumps({"query": query}))
    assert answer == failure("Query cannot be empty")


def test_successful_search(make_tool: MakeTool, checkout: Path) -> None:
    answer = ask(make_tool())
    assert answer.keys() == {"success", "results", "count", "error"}
    assert answer["success"] is True
    assert answer["error"] == ""
    assert answer["count"] == len(answer["results"]) > 0
    assert all(row.keys() == ROW for row in answer["results"])
    found = next(row for row in answer["results"] if row["name"] == "authenticate_user")
    assert found["file"] == "auth/login.py"
    assert found["type"] == "function"
    assert found["lines"] == "4-9"
    assert 0.3 <= found["similarity"] <= 1.0
    lines = (checkout / "auth/login.py").read_text().splitlines()
    assert found["code_snippet"].strip() == "\n".join(lines[3:9])


def test_similarity_sorting(make_tool: MakeTool) -> None:
    answer = ask(make_tool(similarity_threshold=0.0, top_k=50))
    similarities = [row["similarity"] for row in answer["results"]]
    assert len(set(similarities)) > 2
    assert similarities == sorted(similarities, reverse=True)
    assert all(round(one, 4) == one for one in similarities)


def test_code_truncation(make_tool: MakeTool) -> None:
    query = json.dumps({"query": "sum_invoice: the total amount of an invoice"})
    rows = ask(make_tool(max_code_length=100, similarity_threshold=0.0), query)["results"]
    assert all(len(row["code_snippet"]) <= 100 for row in rows)
    long = next(row for row in rows if row["name"] == "sum_invoice")["code_snippet"]
    assert len(long) == 100
    assert long.startswith("def sum_invoice(invoice_rows):")
    assert long.endswith("\n... (truncated)")
    whole = ask(make_tool(max_code_length=10_000, similarity_threshold=0.0), query)["results"]
    long = next(row for row in whole if row["name"] == "sum_invoice")["code_snippet"]
    assert len(long) > 1_000
    assert "truncated" not in long


@pytest.mark.parametrize("top_k", [1, 2, 50])
def test_top_k_limit(make_tool: MakeTool, top_k: int) -> None:
    answer = ask(make_tool(top_k=top_k, similarity_threshold=0.0))
    there_are = ask(make_tool(top_k=50, similarity_threshold=0.0))["count"]
    assert 3 < there_are < 50
    assert answer["count"] == len(answer["results"]) == min(top_k, there_are)


def test_enable_disable(make_tool: MakeTool) -> None:
    tool = make_tool(enabled=False)
    assert not ask(tool)["success"]
    tool.enable()
    assert ask(tool)["success"]
    tool.disable()
    assert ask(tool)["error"].startswith("Codebase search is disabled.")


def test_get_info(make_tool: MakeTool) -> None:
    tool = make_tool(top_k=7)
    info = tool.get_info()
    assert info == {
        "name": "codebase_search",
        "description": tool.description,
        "enabled": True,
        "rag_enabled": True,
        "top_k": 7,
        "similarity_threshold": 0.3,
        "max_code_length": 500,
        "index_exists": True,
        "index_size": info["index_size"],
        "index_path": info["index_path"],
    }
    assert info["index_size"] >= 5
    tool.disable()
    assert tool.get_info()["enabled"] is False


# Beyond them


def test_similarity_is_the_exponential_of_the_distance(make_tool: MakeTool, checkout: Path) -> None:
    """The same search by the API gives cosines: e^-distance of vectors of length 1."""
    tool = make_tool(similarity_threshold=0.0, top_k=50)
    rows = ask(tool)["results"]
    raw = tool._codebase.search(json.loads(QUERY)["query"], limit=50, max_characters=500)
    cosines = {(row["file"], row["start_line"]): row["similarity"] for row in raw.results}
    assert len(rows) == len(raw.results)
    for row in rows:
        cosine = cosines[row["file"], int(row["lines"].partition("-")[0])]
        expected = math.exp(-math.sqrt(2 - 2 * cosine))
        assert row["similarity"] == pytest.approx(expected, abs=0.00006)


@pytest.mark.parametrize("threshold", [0.2, 0.26, 0.3, 0.35, 0.4, 1.0])
def test_a_threshold_leaves_exactly_what_reaches_it(make_tool: MakeTool, threshold: float) -> None:
    every = ask(make_tool(similarity_threshold=0.0, top_k=50))["results"]
    some = ask(make_tool(similarity_threshold=threshold, top_k=50))
    assert some["success"]
    assert some["results"] == [row for row in every if row["similarity"] >= threshold]
    assert threshold in {0.2, 1.0} or 0 < some["count"] < len(every)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ('{"query": 5}', "Query must be a string"),
        ('{"query": ["auth"]}', "Query must be a string"),
        ('{"query": "x"} more', "Invalid JSON input: Extra data: line 1 column 16 (char 15)"),
        ("", "Invalid JSON input: Expecting value: line 1 column 1 (char 0)"),
        ("[" * 60_000, "Invalid JSON input: "),
        ('{"query": "' + "x" * 70_000 + '"}', "Invalid JSON input: it has more than 65,536"),
        ('{"query": "' + "x" * 5_000 + '"}', "Search failed: the service refused (HTTP 400, "),
        (r'{"query": "\ud800"}', "Search failed: the service refused (HTTP 400, "),
    ],
)
def test_bad_input_is_answered(make_tool: MakeTool, query: str, error: str) -> None:
    answer = ask(make_tool(), query)
    assert answer["error"].startswith(error)
    assert answer == failure(answer["error"])


def test_a_search_reads_the_projects_that_are_named(make_tool: MakeTool, checkout: Path) -> None:
    whole = ask(make_tool(directory=checkout.parent, projects=[]))
    assert whole["success"]
    assert ask(make_tool(directory=checkout.parent, projects=["shop"])) == ask(make_tool())
    assert ask(make_tool(directory=checkout / "auth")) == ask(make_tool())


def test_one_project_of_several_that_is_not_there_is_named(make_tool: MakeTool) -> None:
    answer = ask(make_tool(projects=["shop", "no-such"]))
    assert answer["success"]
    assert answer["results"]
    assert "no-such (no such repository here" in answer["incomplete"]


def test_a_directory_must_exist(make_tool: MakeTool, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="is not a directory"):
        make_tool(directory=tmp_path / "gone")


def test_construction_opens_nothing(
    make_tool: MakeTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment of the first search counts, and reload_index reads it again."""
    monkeypatch.setenv("AETERNA_URL", "no address")
    tool = make_tool()
    assert ask(tool)["error"].startswith("Search failed: ")
    monkeypatch.delenv("AETERNA_URL")
    assert ask(tool)["success"]
    monkeypatch.setenv("AETERNA_DATA_DIR", str(tmp_path / "data"))
    assert ask(tool)["success"]
    assert tool.reload_index() is False
    assert ask(tool)["error"].startswith(f"No index found at {tmp_path / 'data'}.")
    assert tool.get_info()["index_exists"] is False
    monkeypatch.undo()


def test_reload_index_says_whether_there_is_one(make_tool: MakeTool) -> None:
    tool = make_tool()
    assert tool.reload_index() is True
    assert ask(tool)["success"]
    assert make_tool(projects=["no-such"]).reload_index() is False
