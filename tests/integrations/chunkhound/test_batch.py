"""Specification 1, batches: each scenario by its name."""

import json
import logging
from pathlib import Path

import pytest

from aeterna_code_search.integrations.chunkhound import code
from tests.embedding_servers import Server
from tests.integrations.chunkhound.databases import Chunk, write_database
from tests.integrations.chunkhound.test_search import entries, files

pytestmark = pytest.mark.usefixtures("project")  # the current directory
QUERIES = "auth logic|token validation|error handling"


def test_multiple_queries() -> None:
    text = code.search_batch(queries=QUERIES, limit=100)
    assert text.startswith("Found 8 results for 3 queries\n")
    scores = [float(entry["score"]) for entry in entries(text)]
    assert scores == sorted(scores, reverse=True)
    for query in QUERIES.split("|"):
        (best,) = entries(code.search(query=query, limit=1))
        assert (best["name"], best["score"]) in {
            (entry["name"], entry["score"]) for entry in entries(text)
        }


def test_batch_embedding_efficiency(openai: Server) -> None:
    code.search_batch(queries=f" {QUERIES} || auth logic|")
    assert [request["input"] for request in openai.requests] == [QUERIES.split("|")]


def test_result_deduplication(tmp_path: Path) -> None:
    chunks = [
        Chunk("src/a.py", "auth token", symbol="both", start_line=1, end_line=9),
        Chunk("src/a.py", "auth", symbol="same range", start_line=1, end_line=9),
        Chunk("src/a.py", "token", symbol="other range", start_line=1, end_line=8),
    ]
    path = write_database(tmp_path / "overlapping.db", chunks)
    found = entries(code.search_batch(queries="auth|token", db=str(path)))
    assert [(entry["name"], entry["score"]) for entry in found] == [
        ("other range", "1.0"),
        ("same range", "1.0"),
    ] or [(entry["name"], entry["score"]) for entry in found] == [
        ("same range", "1.0"),
        ("other range", "1.0"),
    ]


def test_batch_with_exclusion() -> None:
    found = files(code.search_batch(queries="auth logic|error handling", exclude="test|mock"))
    assert found == {"src/login.py", "src/tokens.py", "src/retry.go"}


def test_the_limit_is_that_of_the_answer() -> None:
    assert len(entries(code.search_batch(queries=QUERIES, limit=2))) == 2


def test_no_result_of_any_query() -> None:
    text = code.search_batch(queries="a| b ", language="cobol")
    assert text == "No results found for: a, b"


@pytest.mark.parametrize("queries", ["", " | |"])
def test_no_query_is_an_error(queries: str, openai: Server) -> None:
    text = code.search_batch(queries=queries)
    assert text.startswith("Error: queries must name at least one query")
    assert not openai.requests


def test_a_batch_is_logged(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "integrations.chunkhound"):
        code.search_batch(queries="a|b", limit=3)
    (line,) = [json.loads(record.getMessage()) for record in caplog.records]
    expected = {"span": "code.search_batch", "query": "a|b", "queryCount": 2, "resultCount": 3}
    assert (expected | {"project": str(project)}).items() <= line.items()
