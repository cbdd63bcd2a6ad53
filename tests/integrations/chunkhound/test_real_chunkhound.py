"""The real `chunkhound`, both ways: it writes and we read, we write and it reads.

Its embeddings are those of a stand-in of OpenAI's service on this machine. It is run offline.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from aeterna_code_search.integrations.chunkhound import code
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Service, running_service
from tests.cli.command import codesearch
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.embedding_servers import KEY, Server, openai_server
from tests.integrations.chunkhound.program import ChunkHound, installed

pytestmark = [pytest.mark.system("chunkhound"), pytest.mark.timeout(600)]

FILES = {
    "auth.py": '''"""Checks who asks."""


def verify_token(token):
    """Whether the bearer token is one of ours."""
    return token.startswith("ours-") and len(token) > 20 and token.isascii()


class Session:
    """A session of a user, which ends by itself after an hour of silence."""

    def refresh(self):
        """Renew the session, so that the user stays signed in."""
        self.expires_at = self.clock.now() + self.lifetime
''',
    "lib/pool.go": """package lib

// OpenPool opens a pool of database connections.
func OpenPool(dsn string) (*Pool, error) {
	return connect(dsn, maximumConnections)
}
""",
    "README.md": "# The shop\n\nInvoices are printed on paper.\n",
}
POOL = "open a pool of database connections"
# What DuckDB says of a file's schema; chunkhound's own index of vectors (HNSW) is left out.
SCHEMA = (
    "SELECT table_name, column_name, data_type, is_nullable, column_default FROM duckdb_columns() "
    "WHERE NOT internal ORDER BY ALL",
    "SELECT table_name, constraint_text FROM duckdb_constraints() ORDER BY ALL",
    "SELECT index_name, sql FROM duckdb_indexes() WHERE sql NOT LIKE '%USING HNSW%' ORDER BY ALL",
    "SELECT sequence_name, increment_by, cycle FROM duckdb_sequences() ORDER BY ALL",
    "SELECT version FROM schema_version",
    "SELECT tags FROM duckdb_databases() WHERE database_name = current_database()",
)


@pytest.fixture(scope="module")
def chunkhound() -> Iterator[ChunkHound]:
    with installed() as program:
        yield program


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def written_by_chunkhound(
    chunkhound: ChunkHound, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The database in a repository that `chunkhound index` has indexed: read it, no more."""
    root = repository(tmp_path_factory.mktemp("theirs") / "shop")
    done = chunkhound.run("index", ".", directory=root, embeddings=server)
    assert done.code == 0, done.output
    return root / ".chunkhound" / "db" / "chunks.db"


@dataclass(frozen=True)
class Export:
    """An indexed checkout and the service that it is indexed at."""

    service: Service
    root: Path

    def write(self, *arguments: str | Path, embeddings: Server | None = None) -> None:
        environ = {"AETERNA_DATA_DIR": str(self.service.data_dir)}
        if embeddings:
            environ |= {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": embeddings.url}
        command = ("chunkhound", "export", *arguments)
        done = codesearch(*command, directory=self.root, environ=environ)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Export]:
    with prepared_data_directory() as directory, running_service(directory) as service:
        root = repository(tmp_path_factory.mktemp("ours") / "shop")
        environ = {"AETERNA_DATA_DIR": str(service.data_dir)}
        assert codesearch("index", directory=root, environ=environ).returncode == 0
        yield Export(service, root)


@pytest.fixture(scope="module")
def written_by_us(export: Export, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of the checkout: read it, no more."""
    file = tmp_path_factory.mktemp("export") / "chunks.db"
    export.write(file, embeddings=server)
    return file


def repository(directory: Path) -> Path:
    write_files(new_repository(directory), FILES)
    commit_all(directory, "First commit")
    return directory


def rows(file: Path, statement: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(file), read_only=True) as database:
        return database.execute(statement).fetchall()


def hits(output: str) -> list[tuple[str, int, int]]:
    """File, first and last line of each result that chunkhound prints."""
    found = re.findall(r"\[\d+\] (\S+)\n(?:.*\n)?.*Lines (\d+)(?:-(\d+))?\n", output)
    return [(file, int(first), int(last or first)) for file, first, last in found]


# It writes, we read


def test_a_real_index_has_the_tables_that_are_read(written_by_chunkhound: Path) -> None:
    joined = rows(
        written_by_chunkhound,
        "SELECT path, symbol, chunk_type, start_line, end_line, dims, len(embedding) "
        "FROM embeddings_1536 AS e JOIN chunks ON chunks.id = e.chunk_id "
        "JOIN files ON files.id = file_id "
        "WHERE provider = 'openai' AND model = 'text-embedding-3-small'",
    )
    assert ("lib/pool.go", "OpenPool", "function", 3, 6, 1536, 1536) in joined


@pytest.fixture
def environment(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user with a key, and without a secrets.yaml."""
    for name in ("OT_SECRETS_FILE", "OT_CWD", "OPENAI_API_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)


@pytest.mark.usefixtures("environment")
def test_our_reader_finds_the_chunk_in_a_real_index(written_by_chunkhound: Path) -> None:
    root = written_by_chunkhound.parents[2]
    said = code.search(query=POOL, path=str(root), limit=1, language="go", chunk_type="function")
    assert "1. [function] OpenPool (go)" in said
    assert "File: lib/pool.go:3-6" in said
    batch = code.search_batch(queries=f"{POOL}|renew the session", path=str(root), limit=50)
    assert "File: auth.py:12-14" in batch
    assert f"Database: {written_by_chunkhound}\nFiles: 3\n" in code.status(path=str(root))


@pytest.mark.usefixtures("environment")
def test_our_reader_reads_what_we_wrote(export: Export, written_by_us: Path) -> None:
    said = code.search(query=POOL, path=str(export.root), db=str(written_by_us), limit=1)
    assert "1. [function] OpenPool (go)" in said
    assert "File: lib/pool.go:3-6" in said


# We write, it reads


def test_the_schema_is_chunkhounds(written_by_chunkhound: Path, written_by_us: Path) -> None:
    for statement in SCHEMA:
        theirs = rows(written_by_chunkhound, statement)
        assert rows(written_by_us, statement) == theirs
        assert theirs


def test_files_are_told_as_chunkhound_tells_them(
    written_by_chunkhound: Path, written_by_us: Path
) -> None:
    """With its own hash of their content, by which it knows that they are as they were."""
    files = (
        "SELECT path, name, extension, size, content_hash, language, skip_reason FROM files "
        "ORDER BY path"
    )
    theirs = rows(written_by_chunkhound, files)
    assert rows(written_by_us, files) == theirs
    assert [row[0] for row in theirs] == ["README.md", "auth.py", "lib/pool.go"]


def test_chunkhound_searches_an_export_by_meaning(
    chunkhound: ChunkHound, export: Export, server: Server, written_by_us: Path
) -> None:
    found = chunkhound.run(
        *("search", POOL, ".", "--db", written_by_us), directory=export.root, embeddings=server
    )
    assert found.code == 0, found.output
    assert hits(found.stdout)[0] == ("lib/pool.go", 3, 6)
    assert "func OpenPool(dsn string)" in found.stdout


def test_chunkhound_searches_an_export_by_regular_expressions(
    chunkhound: ChunkHound, export: Export, tmp_path: Path
) -> None:
    file = tmp_path / "chunks.db"
    export.write("--no-embeddings", file)
    found = chunkhound.run(
        *("search", "--regex", r"verify_\w+\(token\)", ".", "--db", file), directory=export.root
    )
    assert found.code == 0, found.output
    assert hits(found.stdout) == [("auth.py", 4, 6)]


def test_chunkhound_goes_on_with_an_export(
    chunkhound: ChunkHound, export: Export, server: Server, written_by_us: Path, tmp_path: Path
) -> None:
    """It embeds nothing that the export has, and of a file that changes nothing but that."""
    file = Path(shutil.copy(written_by_us, tmp_path))
    index = ("index", ".", "--db", file)
    server.requests.clear()
    done = chunkhound.run(*index, directory=export.root, embeddings=server)
    assert done.code == 0, done.output
    assert "Processed: 0 files" in done.stdout
    assert server.requests == []
    changed = "# The shop\n\nInvoices are sent by post.\n"
    write_files(export.root, {"README.md": changed})
    try:
        done = chunkhound.run(*index, directory=export.root, embeddings=server)
    finally:
        write_files(export.root, FILES)
    assert done.code == 0, done.output
    assert "Processed: 1 files" in done.stdout
    assert server.texts
    assert all("pool" not in text for text in server.texts)
    told = rows(
        file,
        "SELECT path, string_agg(code, ' ') FROM chunks JOIN files ON files.id = file_id "
        "JOIN embeddings_1536 AS e ON e.chunk_id = chunks.id GROUP BY path ORDER BY path",
    )
    assert [path for path, _ in told] == ["README.md", "auth.py", "lib/pool.go"]
    assert "by post" in told[0][1]
    assert "on paper" not in told[0][1]
