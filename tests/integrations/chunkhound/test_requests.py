"""Parameters out of range: a clear error, and nothing is asked."""

from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.integrations.chunkhound import code
from tests.embedding_servers import Server

pytestmark = pytest.mark.usefixtures("project")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"query": ""}, "query must not be empty"),
        ({"query": " \n"}, "query must not be empty"),
        ({"query": "x" * 4_001}, "query must have at most 4,000 characters"),
        ({"limit": 0}, "limit must be a whole number from 1 to 100"),
        ({"limit": 101}, "limit must be a whole number from 1 to 100"),
        ({"limit": "5"}, "limit must be a whole number from 1 to 100"),
        ({"limit": True}, "limit must be a whole number from 1 to 100"),
        ({"expand": -1}, "expand must be a whole number from 0 to 100"),
        ({"expand": 101}, "expand must be a whole number from 0 to 100"),
        ({"chunk_type": "verb"}, "chunk_type must be one of: function, class, method, comment"),
        ({"language": "x" * 41}, "language must have at most 40 characters"),
        ({"exclude": "x" * 1_001}, "exclude must have at most 1,000 characters"),
        ({"path": "a\0b"}, "path must be a file system path"),
        ({"path": " "}, "path must be a file system path"),
        ({"db": ""}, "db must be a file system path"),
        ({"db": "x" * 5_000}, "The database cannot be reached"),
        ({"path": "x" * 5_000}, "Project not indexed"),
        ({"query": 5}, "query must be UTF-8 text"),
        ({"query": "q\udcff"}, "query must be UTF-8 text"),
        ({"language": "\ud800"}, "language must be UTF-8 text"),
        ({"exclude": ["a"]}, "exclude must be UTF-8 text"),
        ({"path": 5}, "path must be a file system path"),
        ({"path": "~no-such-user/x"}, "~no-such-user is not a user of this machine"),
        ({"db": "~no-such-user/x"}, "~no-such-user is not a user of this machine"),
    ],
)
def test_a_wrong_parameter_is_named(parameters: dict[str, Any], said: str, openai: Server) -> None:
    text = code.search(**{"query": "query", **parameters})
    assert text.startswith(f"Error: {said}")
    assert not openai.requests


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ("|".join(f"q{n}" for n in range(21)), "queries must be at most 20"),
        ("x" * 20_001, "queries must have at most 20,000 characters"),
        (f"q|{'x' * 4_001}", "a query must have at most 4,000 characters"),
    ],
)
def test_a_batch_has_bounds(queries: str, said: str, openai: Server) -> None:
    assert code.search_batch(queries=queries) == f"Error: {said}"
    assert not openai.requests


def test_a_batch_at_its_bounds_is_one_request(openai: Server) -> None:
    """Of the longest characters too, so that the request has the most bytes."""
    queries = "|".join("😀" * 985 + f" {n:02}" for n in range(20))
    assert len(queries) <= 20_000
    assert code.search_batch(queries=queries).startswith("Found ")
    assert len(openai.requests) == 1


def test_none_and_blank_parameters_are_not_given() -> None:
    given = code.search(query=" query ", language="", chunk_type="", exclude=" | ", expand=None)
    assert given == code.search(query="query")


def test_a_project_in_a_directory_that_is_gone(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert code.search(query="query") == (
        "Error: The current directory does not exist any more: change to another one"
    )
