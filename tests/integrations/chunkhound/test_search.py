"""Specification 1, over a ChunkHound database: each scenario by its name."""

import json
import logging
import re
from pathlib import Path

import pytest

from aeterna_code_search.integrations.chunkhound import code
from tests.embedding_servers import KEY, Server, vector_of
from tests.integrations.chunkhound.conftest import CHUNKS, LOGIN, SOURCES, Home, write_project
from tests.integrations.chunkhound.databases import Chunk, write_database

ENTRY = re.compile(
    r"^(?P<number>\d+)\. \[(?P<type>\w*)\] (?P<name>[^\n]*) \((?P<language>\w*)\)\n"
    r"   File: (?P<file>[^\n]+):(?P<lines>[\d?]+-[\d?]+)\n   Score: (?P<score>[-\d.]+)\n"
    r"   ```\n(?P<code>.*?)\n   ```$",
    re.MULTILINE | re.DOTALL,
)


def entries(text: str) -> list[dict[str, str]]:
    found = [match.groupdict() for match in ENTRY.finditer(text)]
    assert text.startswith(f"Found {len(found)} results for"), text
    return found


def files(text: str) -> set[str]:
    return {entry["file"] for entry in entries(text)}


pytestmark = pytest.mark.usefixtures("project")  # the current directory


class TestSemanticCodeSearch:
    def test_basic_search(self) -> None:
        found = entries(code.search(query="authentication logic"))
        scores = [float(entry["score"]) for entry in found]
        assert scores == sorted(scores, reverse=True)
        assert {entry["file"] for entry in found[:3]} == {
            "src/login.py",
            "src/Mock_Login.py",
            "tests/test_login.py",
        }
        login = next(entry for entry in found if entry["name"] == "login")
        assert (login["lines"], login["code"]) == ("4-6", LOGIN.rstrip("\n"))

    def test_search_with_explicit_path(
        self, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert "src/retry.go" in files(code.search(query="error handling", path=str(project)))

    def test_default_path(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        assert "src/login.py" in files(code.search(query="query"))
        monkeypatch.chdir(tmp_path)
        assert code.search(query="query").startswith("Error: Project not indexed.")

    def test_custom_database_path(self, project: Path) -> None:
        write_database(project / "custom/path/chunks.db", CHUNKS[:1])
        found = code.search(query="query", db="custom/path/chunks.db")
        assert files(found) == {"src/login.py"}
        assert found == code.search(query="query", db="custom/path")  # as ChunkHound takes it

    def test_result_limit(self, project: Path) -> None:
        write_database(
            project / "many.db", [Chunk(f"src/{n}.py", f"def f{n}(): query") for n in range(12)]
        )
        assert len(entries(code.search(query="query", limit=5, db="many.db"))) == 5
        assert len(entries(code.search(query="query", db="many.db"))) == 10

    @pytest.mark.parametrize("language", ["python", "Python"])
    def test_language_filter(self, language: str) -> None:
        found = entries(code.search(query="error handling", language=language))
        assert found
        assert {entry["language"] for entry in found} == {"python"}

    @pytest.mark.parametrize("chunk_type", ["function", "class", "method", "comment"])
    def test_chunk_type_filter(self, chunk_type: str) -> None:
        found = entries(code.search(query="validation", chunk_type=chunk_type))
        assert {entry["type"] for entry in found} == {chunk_type}

    def test_path_exclusion(self) -> None:
        query = "error handling authentication logic"
        assert {"tests/test_login.py", "src/Mock_Login.py"} <= files(code.search(query=query))
        found = files(code.search(query=query, exclude="TEST|mock|fixture"))
        assert found == {"src/login.py", "src/tokens.py", "src/retry.go"}

    def test_context_expansion(self, project: Path) -> None:
        lines = [f"line {number}" for number in range(1, 101)]
        (project / "long.py").write_text("\n".join(lines) + "\n")
        write_database(
            project / "long.db", [Chunk("long.py", "validation", start_line=50, end_line=51)]
        )
        (entry,) = entries(code.search(query="validation", expand=20, db="long.db"))
        assert (entry["lines"], entry["code"].split("\n")) == ("30-71", lines[29:71])
        (entry,) = entries(code.search(query="validation", expand=60, db="long.db"))
        assert entry["lines"] == "1-100"


class TestResultFormat:
    def test_result_structure(self, project: Path) -> None:
        chunk = Chunk("src/a.go", "x" * 501, "method", "Store.find", 3, 9, "go")
        write_database(project / "one.db", [chunk])
        text = code.search(query="x" * 501, db="one.db")
        assert text == (
            f"Found 1 results for: {'x' * 501}\n\n1. [method] Store.find (go)\n"
            f"   File: src/a.go:3-9\n   Score: 1.0\n   ```\n{'x' * 500}\n   ```"
        )

    def test_no_results(self) -> None:
        found = code.search(query="authentication logic", language="cobol")
        assert found == "No results found for: authentication logic"


class TestProjectNotIndexed:
    def test_missing_index(self, tmp_path: Path) -> None:
        root = tmp_path / "unindexed"
        root.mkdir()
        text = code.search(query="query", path=str(root))
        assert text.startswith("Error: ")
        assert f"Run: chunkhound index {root}" in text
        assert f"Expected database at: {root}/.chunkhound/db/chunks.db" in text
        assert f"codesearch index {root}" in text
        named = code.search(query="query", path=str(root), db="custom/chunks.db")
        assert f"Expected database at: {root}/custom/chunks.db" in named
        assert "codesearch index" not in named  # which a named database would not ask


class TestEmbeddingGeneration:
    def test_openai_embedding(self, openai: Server) -> None:
        code.search(query="authentication logic")
        (request,) = openai.requests
        assert request["model"] == "text-embedding-3-small"
        assert request["dimensions"] == 1536
        assert request["input"] == ["authentication logic"]
        assert openai.headers[0]["authorization"] == f"Bearer {KEY}"

    def test_missing_api_key(self, home: Home, openai: Server) -> None:
        home.secrets.unlink()
        assert code.search(query="query") == (
            "OPENAI_API_KEY not configured in secrets.yaml (required for code search embeddings)"
        )
        assert not openai.requests


class TestChunkHoundSchemaCompatibility:
    def test_provider_model_filtering(self, project: Path) -> None:
        chunks = [
            Chunk("src/right.py", "query"),
            Chunk("src/large.py", "query", model="text-embedding-3-large"),
            Chunk("src/other.py", "query", provider="voyageai"),
        ]
        path = write_database(project / "mixed.db", chunks)
        assert files(code.search(query="query", db=str(path))) == {"src/right.py"}

    def test_file_path_resolution(self) -> None:
        found = entries(code.search(query="token validation", chunk_type="class"))
        assert [entry["file"] for entry in found] == ["src/tokens.py"]

    def test_vector_search(self) -> None:
        query = vector_of("error handling", 1536)
        found = entries(code.search(query="error handling", limit=100))
        vectors = {chunk.symbol: vector_of(chunk.code, 1536) for chunk in CHUNKS}
        assert len(found) == len(CHUNKS)
        for entry in found:
            vector = vectors[entry["name"]]
            norms = float((query @ query) ** 0.5 * (vector @ vector) ** 0.5)
            assert float(entry["score"]) == pytest.approx(float(query @ vector) / norms, abs=2e-4)


class TestPathResolution:
    def test_explicit_path(self, project: Path) -> None:
        assert code.status(path=str(project)).startswith(f"Project indexed: {project}\n")

    def test_tilde_expansion(self, home: Home) -> None:
        root = write_project(home.path / "projects/myproject")
        write_database(root / ".chunkhound/db/chunks.db", CHUNKS[:1])
        assert files(code.search(query="query", path="~/projects/myproject")) == {"src/login.py"}
        text = code.status(path="~/projects/myproject")
        assert text.startswith(f"Project indexed: {home.path}/projects/myproject\n")

    def test_default_path(
        self, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        monkeypatch.setenv("OT_CWD", str(project))
        assert "src/login.py" in files(code.search(query="query"))
        assert code.status(path="../project").startswith(f"Project indexed: {project}\n")


class TestCodeSearchLogging:
    def test_code_search_logging(self, project: Path, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.INFO, "integrations.chunkhound"):
            text = code.search(query="authentication logic", limit=2)
        assert len(entries(text)) == 2
        (record,) = [one for one in caplog.records if one.name == "integrations.chunkhound"]
        fields = {
            "span": "code.search",
            "query": "authentication logic",
            "project": str(project),
            "resultCount": 2,
        }
        assert fields.items() <= json.loads(record.getMessage()).items()
        assert fields.items() <= vars(record).items()
        assert KEY not in record.getMessage()


def test_sources_of_the_project_are_those_of_its_chunks() -> None:
    """What the tests above take for granted."""
    for chunk in CHUNKS:
        assert chunk.file in SOURCES
