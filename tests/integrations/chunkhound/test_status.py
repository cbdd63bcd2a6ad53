"""Specification 1, the status: each scenario by its name."""

from pathlib import Path

import duckdb

from aeterna_code_search.integrations.chunkhound import code
from tests.integrations.chunkhound.conftest import CHUNKS, Home
from tests.integrations.chunkhound.databases import write_database


def test_indexed_project(project: Path) -> None:
    database = project / ".chunkhound/db/chunks.db"
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "INSERT INTO files (path, name, language, skip_reason) "
            "VALUES ('big.json', 'big.json', 'json', 'too large')"
        )
    assert code.status(path=str(project)) == (
        f"Project indexed: {project}\nDatabase: {database}\nFiles: 5\nChunks: 8\n"
        "Embeddings: 8\nLanguages: python: 4, go: 1"
    )


def test_unindexed_project(home: Home, tmp_path: Path) -> None:
    text = code.status(path=str(tmp_path / "unindexed"))
    assert f"Run: chunkhound index {tmp_path}/unindexed" in text
    assert f"Expected database at: {tmp_path}/unindexed/.chunkhound/db/chunks.db" in text


def test_custom_database_path_for_status(project: Path) -> None:
    write_database(project / "custom/chunks.db", CHUNKS[:2])
    text = code.status(path=str(project), db="custom/chunks.db")
    assert f"Database: {project}/custom/chunks.db\nFiles: 1\nChunks: 2\n" in text


def test_a_status_needs_no_key(project: Path, home: Home) -> None:
    home.secrets.unlink()
    assert "Files: 5" in code.status()
