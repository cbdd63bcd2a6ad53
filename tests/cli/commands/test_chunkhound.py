"""`codesearch chunkhound`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import codesearch
from tests.embedding_servers import KEY, openai_server
from tests.integrations.chunkhound.conftest import CHUNKS, write_project
from tests.integrations.chunkhound.databases import write_database


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Of a user with a key, whose machine has no service of ours."""
    home = tmp_path_factory.mktemp("home")
    with openai_server() as server:
        yield {
            "HOME": str(home),
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": server.url,
            "AETERNA_DATA_DIR": str(home / "no-service"),
        }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_project(tmp_path_factory.mktemp("cli") / "project")
    write_database(root / ".chunkhound/db/chunks.db", CHUNKS)
    return root


def test_search(project: Path, environ: dict[str, str]) -> None:
    words = ("chunkhound", "search", "authentication", "logic")
    done = codesearch(*words, "--limit", "3", directory=project, environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Found 3 results for: authentication logic\n\n1. [function] ")
    options = (
        "--path", "project", "--language", "python", "--chunk-type", "function",
        "--exclude", "TEST|mock", "--expand", "2", "--db", ".chunkhound/db", "--json",
    )  # fmt: skip
    done = codesearch(*words, *options, directory=project.parent, environ=environ)
    answer = json.loads(done.stdout)
    assert (answer["project"], answer["count"]) == (str(project), 2)
    login = next(one for one in answer["results"] if one["name"] == "login")
    assert (login["start_line"], login["content_start_line"], login["content_end_line"]) == (
        4,
        2,
        8,
    )


def test_search_batch(project: Path, environ: dict[str, str]) -> None:
    command = ("chunkhound", "search-batch", "auth logic|token validation")
    done = codesearch(*command, directory=project, environ=environ)
    assert done.stdout.startswith("Found 8 results for 2 queries\n")


def test_status(project: Path, environ: dict[str, str]) -> None:
    done = codesearch("chunkhound", "status", directory=project, environ=environ)
    assert "Files: 5\nChunks: 8\nEmbeddings: 8\nLanguages: python: 4, go: 1\n" in done.stdout
    done = codesearch("chunkhound", "status", "--json", directory=project, environ=environ)
    assert json.loads(done.stdout)["languages"] == {"python": 4, "go": 1}


def test_nothing_found_ends_with_1(project: Path, environ: dict[str, str]) -> None:
    command = ("chunkhound", "search", "x", "--language", "cobol")
    done = codesearch(*command, directory=project, environ=environ)
    assert (done.returncode, done.stdout) == (1, "No results found for: x\n")


def test_not_indexed_ends_with_3(environ: dict[str, str], tmp_path: Path) -> None:
    for command in (("search", "x"), ("status",)):
        done = codesearch("chunkhound", *command, directory=tmp_path, environ=environ)
        assert (done.returncode, done.stdout) == (3, "")
        assert f"Run: chunkhound index {tmp_path}\n" in done.stderr
        assert f"Expected database at: {tmp_path}/.chunkhound/db/chunks.db\n" in done.stderr


def test_wrong_arguments_and_a_missing_key_end_with_2(
    project: Path, environ: dict[str, str]
) -> None:
    without_key = {name: value for name, value in environ.items() if name != "OPENAI_API_KEY"}
    for settings, arguments, said in (
        (environ, ("x", "--limit", "0"), "Error: limit must be a whole number from 1 to 100"),
        (environ, ("x", "--chunk-type", "verb"), "Error: chunk_type must be one of: function"),
        (environ, (" ",), "Error: query must not be empty"),
        (without_key, ("x",), "OPENAI_API_KEY not configured in secrets.yaml (required for "),
    ):
        done = codesearch("chunkhound", "search", *arguments, directory=project, environ=settings)
        assert done.returncode == 2
        assert done.stderr.startswith(said)


def test_an_embedding_service_that_refuses_or_is_away(
    project: Path, environ: dict[str, str]
) -> None:
    wrong = {**environ, "OPENAI_API_KEY": "sk-wrong-9876543210"}
    done = codesearch("chunkhound", "search", "x", directory=project, environ=wrong)
    assert done.returncode == 3
    assert "does not take the key" in done.stderr
    assert "9876543210" not in done.stderr
    away = {**environ, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    done = codesearch("chunkhound", "search", "x", directory=project, environ=away)
    assert done.returncode == 4
    assert "did not answer" in done.stderr
