"""`integrations.chunkhound.export`: a project's index as a DuckDB file of ChunkHound's shape.

That the real program reads it is shown in test_real_chunkhound.
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from cli.indexing import index_target
from cli.target.target import open_target
from indexer.client.credentials import Purpose
from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder
from indexer.errors import (
    CommitNotFoundError,
    ConfigurationError,
    EmbeddingError,
    IndexerError,
    NotARepositoryError,
)
from indexer.records.runs import Requested
from indexer.records.vectors import EmbedderConfig
from integrations.chunkhound import export
from integrations.chunkhound.embedding import SPEC
from integrations.chunkhound.export import Exported, Progress, export_index
from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import Organization, Service, running_service
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.embedding_servers import KEY, Server, Trouble, openai_server

AUTH = '''"""Checks who asks."""


def verify_token(token):
    """Whether the token is one of ours: größer."""
    return token.startswith("ours-") and len(token) > 20


class Session:
    """A session of a user."""

    user = None
    started_at = None
    limits = {"requests": 1000, "bytes": 1000000, "seconds": 3600, "connections": 10}
    places = {"first": "the-first-place-of-all", "second": "the-second-place-of-all"}

    def refresh(self):
        """Renew the session, and say so to everybody who waits for it, one after the other."""
        print("renewed", self.user, self.started_at, self.limits, self.places)
'''
pytestmark = pytest.mark.timeout(600)  # it starts a service
FILES = {
    "auth.py": AUTH,
    "lib/pool.go": "package lib\n\n// OpenPool opens a pool.\nfunc OpenPool() {\n\tconnect()\n}\n",
    "README.md": "# Hello\n\nRead me.\n",
    "Makefile": "all:\n\techo all\n",
    "package-lock.json": "{}\n",
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with prepared_data_directory() as directory, running_service(directory) as running:
        yield running


@pytest.fixture(scope="module")
def root(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed checkout, with work that is not committed: read it, no more."""
    made = repository(tmp_path_factory.mktemp("git") / "shop", FILES)
    index(service, made)
    write_files(made, {"auth.py": "changed = 1\n", "new.py": "new = 1\n"})
    return made


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def exported(
    service: Service, root: Path, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The project's file, with embeddings: read it, no more."""
    file = tmp_path_factory.mktemp("exported") / "chunks.db"
    done = write(service, root, file, embedder=embedder_at(server))
    assert (done.files, done.chunks, done.embeddings) == (6, count(file), count(file))
    assert done.differs == ""
    return file


def repository(directory: Path, files: dict[str, str]) -> Path:
    write_files(new_repository(directory), files)
    (directory / "mark.py").write_bytes(b"\xef\xbb\xbf\n\nmarked = 1\n")
    (directory / "link.py").symlink_to("auth.py")
    commit_all(directory, "First commit")
    return directory


def index(service: Service, root: Path) -> None:
    environ = {"AETERNA_DATA_DIR": str(service.data_dir)}
    with open_target(environ, root, purpose=Purpose.INDEX) as target:
        index_target(target, environ, root, Requested.AUTO, plain=True)


def embedder_at(server: Server) -> Embedder:
    access = EmbedderConfig(
        openai_api_key=KEY, openai_base_url=server.url, timeout_seconds=10, retry_seconds=0
    )
    return open_embedder(SPEC, access)


def write(
    service: Service,
    directory: Path,
    destination: Path,
    *,
    project: str | None = None,
    embedder: Embedder | None = None,
    may_overwrite: bool = False,
    notes: list[str] | None = None,
) -> Exported:
    def ignore(done: int, total: int) -> None:
        assert done <= total

    told = [] if notes is None else notes
    environ = {"AETERNA_DATA_DIR": str(service.data_dir)}
    with open_target(environ, directory) as target:
        return export_index(
            target,
            destination,
            project=project,
            embedder=embedder,
            credential=None,
            may_overwrite=may_overwrite,
            progress=Progress(ignore, ignore, told.append),
        )


def rows(file: Path, statement: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(file), read_only=True) as database:
        return database.execute(statement).fetchall()


def count(file: Path) -> int:
    return int(rows(file, "SELECT count(*) FROM chunks")[0][0])


def test_chunks_are_those_of_the_index(service: Service, root: Path, exported: Path) -> None:
    dump = Organization(service, "local", "").dump("shop")
    lines = [json.loads(line) for line in dump.splitlines()]
    indexed = [
        (one["path"], one["start_line"], one["end_line"], one["name"], one["text"])
        for one in lines
        if one["type"] == "chunk"
    ]
    found = rows(
        exported,
        "SELECT path, start_line, end_line, coalesce(symbol, ''), code "
        "FROM chunks JOIN files ON files.id = file_id",
    )
    assert len(indexed) > 6
    hashed = [(*row[:-1], hashlib.sha256(row[-1].encode()).hexdigest()) for row in found]
    assert sorted(hashed) == sorted(indexed)
    files = {one["path"]: one["skipped"] for one in lines if one["type"] == "file"}
    del files["link.py"]
    assert dict(rows(exported, "SELECT path, coalesce(skip_reason, '') FROM files")) == files


def test_what_is_not_committed_is_not_exported(exported: Path) -> None:
    assert rows(exported, "SELECT count(*) FROM files WHERE path = 'new.py'") == [(0,)]
    assert rows(exported, "SELECT count(*) FROM chunks WHERE code LIKE '%changed%'") == [(0,)]


def test_lines_and_bytes_say_where_the_code_is(exported: Path) -> None:
    contents = {name: text.encode() for name, text in FILES.items()}
    contents["mark.py"] = b"\xef\xbb\xbf\n\nmarked = 1\n"
    found = rows(
        exported,
        "SELECT path, start_line, end_line, start_byte, end_byte, code "
        "FROM chunks JOIN files ON files.id = file_id",
    )
    assert {path for path, *_ in found} == contents.keys() - {"package-lock.json"}
    for path, start, end, first, last, code in found:
        content = contents[path]
        assert content[first:last].decode() == code
        assert content.decode().split("\n")[start - 1 : end] == code.split("\n"), path


def test_names_are_chunkhounds(exported: Path) -> None:
    files = rows(exported, "SELECT path, name, extension, language FROM files ORDER BY path")
    assert files == [
        ("Makefile", "Makefile", "", "makefile"),
        ("README.md", "README.md", "md", "markdown"),
        ("auth.py", "auth.py", "py", "python"),
        ("lib/pool.go", "pool.go", "go", "go"),
        ("mark.py", "mark.py", "py", "python"),
        ("package-lock.json", "package-lock.json", "json", None),
    ]
    kinds = rows(exported, "SELECT symbol, chunk_type, metadata FROM chunks WHERE symbol NOT NULL")
    assert set(kinds) >= {
        ("verify_token", "function", None),
        ("OpenPool", "function", None),
        ("refresh", "method", '{"container": "Session"}'),
    }
    unnamed = rows(exported, "SELECT DISTINCT chunk_type FROM chunks WHERE symbol IS NULL")
    assert unnamed == [("block",)]


def test_vectors_are_those_of_our_own_index_inputs(exported: Path, server: Server) -> None:
    found = rows(
        exported,
        "SELECT code, provider, model, dims, embedding FROM chunks "
        "JOIN embeddings_1536 ON chunk_id = chunks.id WHERE symbol = 'refresh'",
    )
    ((code, *named, vector),) = found
    assert named == ["openai", "text-embedding-3-small", 1536]
    expected = server.vectors([f"auth Session\n{code}"])[0]
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)
    assert rows(exported, "SELECT count(DISTINCT chunk_id) FROM embeddings_1536") == [
        (count(exported),)
    ]


def test_the_file_is_of_the_storage_version_that_every_duckdb_1_reads(exported: Path) -> None:
    said = rows(exported, "SELECT tags FROM duckdb_databases() WHERE database_name = 'chunks'")
    assert said == [({"storage_version": "v1.0.0+"},)]


def test_without_an_embedder_there_are_no_vectors(
    service: Service, root: Path, tmp_path: Path
) -> None:
    file = tmp_path / "chunks.db"
    done = write(service, root, file)
    assert (done.embeddings, done.usage.requests) == (0, 0)
    tables = {name for (name,) in rows(file, "SHOW TABLES")}
    assert tables == {"chunks", "files", "schema_version"}
    assert list(tmp_path.iterdir()) == [file]
    assert file.stat().st_mode & 0o077 == 0


def test_an_export_that_ended_early_is_gone_on_with(
    service: Service, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_EMBEDDED_AT_ONCE", 2)
    file, part = tmp_path / "chunks.db", tmp_path / "chunks.db.part"
    with openai_server() as server:
        write_with_trouble(service, root, file, server)
        kept = rows(part, "SELECT chunk_id FROM embeddings_1536 ORDER BY chunk_id")
        assert kept == [(1,), (2,)]
        asked = server.texts[:]
        notes: list[str] = []
        done = write(service, root, file, embedder=embedder_at(server), notes=notes)
        assert notes == [f"Resuming {part}; delete it to start over."]
        assert done.embeddings == done.chunks == count(file)
        repeated = [text for text in server.texts[len(asked) :] if text in asked[:3]]
        assert repeated == ["check"]
    assert list(tmp_path.iterdir()) == [file]
    assert rows(file, "SELECT count(DISTINCT chunk_id) FROM embeddings_1536") == [(done.chunks,)]


def write_with_trouble(service: Service, root: Path, file: Path, server: Server) -> None:
    """The check is answered, and the first chunks; then nothing more is paid for."""
    embedder = embedder_at(server)
    embed = embedder.embed_documents
    calls: list[int] = []

    def embed_until_quota(texts: Any) -> Any:
        calls.append(len(texts))
        if len(calls) == 2:
            server.troubles.append(Trouble.QUOTA)
        return embed(texts)

    embedder.embed_documents = embed_until_quota  # type: ignore[method-assign]
    with pytest.raises(EmbeddingError, match=r"insufficient_quota.*run the same command again"):
        write(service, root, file, embedder=embedder)
    assert not file.exists()


def test_another_commit_is_begun_anew(service: Service, tmp_path: Path, server: Server) -> None:
    checkout = repository(tmp_path / "anew", FILES)
    index(service, checkout)
    file = tmp_path / "chunks.db"
    with openai_server() as other:
        write_with_trouble_at_once(service, checkout, file, other)
    write_files(checkout, {"more.py": "more = 1\n"})
    commit_all(checkout, "More")
    index(service, checkout)
    notes: list[str] = []
    write(service, checkout, file, embedder=embedder_at(server), notes=notes)
    assert notes == []
    assert rows(file, "SELECT count(*) FROM files WHERE path = 'more.py'") == [(1,)]


def write_with_trouble_at_once(service: Service, root: Path, file: Path, server: Server) -> None:
    embedder = embedder_at(server)
    check = embedder.check

    def check_and_lose_quota() -> None:
        check()
        server.troubles.append(Trouble.QUOTA)

    embedder.check = check_and_lose_quota  # type: ignore[method-assign]
    with pytest.raises(EmbeddingError):
        write(service, root, file, embedder=embedder)
    assert file.with_name("chunks.db.part").exists()


def test_a_wrong_key_ends_it_before_anything_is_written(
    service: Service, root: Path, tmp_path: Path, server: Server
) -> None:
    access = EmbedderConfig(openai_api_key="sk-wrong-and-secret", openai_base_url=server.url)
    with pytest.raises(EmbeddingError, match="does not take the key") as caught:
        write(service, root, tmp_path / "chunks.db", embedder=open_embedder(SPEC, access))
    assert "sk-wrong" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_anybody_else_is_overwritten_by_force_alone(
    service: Service, root: Path, tmp_path: Path
) -> None:
    file = tmp_path / "chunks.db"
    file.write_text("mine")
    with pytest.raises(ConfigurationError, match="overwrite it with --force"):
        write(service, root, file)
    assert file.read_text() == "mine"
    beside = [tmp_path / f"chunks.db{ending}" for ending in (".root.json", ".embedding.json")]
    for one in beside:
        one.write_text("{}")
    write(service, root, file, may_overwrite=True)
    assert count(file) > 0
    assert list(tmp_path.iterdir()) == [file]  # what was said of the other file is gone too


def test_a_database_that_chunkhound_made_is_not_taken_for_an_export(
    service: Service, root: Path, tmp_path: Path
) -> None:
    file = tmp_path / "chunks.db"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE TABLE schema_version (version INTEGER, description TEXT)")
        database.execute("INSERT INTO schema_version VALUES (1, 'Initial schema')")
    with pytest.raises(ConfigurationError, match="overwrite it with --force"):
        write(service, root, file)


def test_an_export_is_overwritten_by_the_next(service: Service, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "chunks.db"
    write(service, root, file)
    first = file.stat().st_ino
    write(service, root, file)
    assert file.stat().st_ino != first
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_never_followed(service: Service, root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / "other.db"
    other.write_text("mine")
    link = tmp_path / "chunks.db"
    for leads_to in (other, tmp_path / "nowhere"):
        link.unlink(missing_ok=True)
        link.symlink_to(leads_to)
        with pytest.raises(ConfigurationError, match="is a symbolic link"):
            write(service, root, link, may_overwrite=True)
    assert other.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_a_checkout_leads_an_export_nowhere(service: Service, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    checkout = repository(tmp_path / "hostile", FILES)
    (checkout / ".chunkhound").symlink_to(elsewhere)
    commit_all(checkout, "A link")
    index(service, checkout)
    with pytest.raises(ConfigurationError, match=r"\.chunkhound is a symbolic link"):
        write(service, checkout, checkout / ".chunkhound" / "chunks.db")
    assert list(elsewhere.iterdir()) == []


def test_a_part_that_is_a_link_is_not_written_to(
    service: Service, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "chunks.db.part").symlink_to(other)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        write(service, root, tmp_path / "chunks.db")
    assert other.read_text() == "mine"


def test_a_part_of_something_else_is_begun_anew(
    service: Service, root: Path, tmp_path: Path
) -> None:
    part = tmp_path / "chunks.db.part"
    with duckdb.connect(str(part)) as database:
        database.execute("CREATE TABLE chunks (code TEXT)")
        database.execute(
            "CREATE VIEW schema_version AS SELECT 1 AS version, 'Exported by codesearch: {}' AS "
            "description FROM range(1000000000000)"
        )
    notes: list[str] = []
    write(service, root, tmp_path / "chunks.db", notes=notes)
    assert notes == []
    assert count(tmp_path / "chunks.db") > 6
    assert not part.exists()


def test_where_no_file_can_be_is_said(service: Service, root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a file"):
        write(service, root, tmp_path, may_overwrite=True)
    with pytest.raises(ConfigurationError, match="there is no directory"):
        write(service, root, tmp_path / "missing" / "chunks.db")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_another_program_writes_to_is_left_alone(
    service: Service, root: Path, tmp_path: Path
) -> None:
    file = tmp_path / "chunks.db"
    write(service, root, file)
    holding = (
        "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", holding, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert writer.stdout
        assert writer.stdout.readline() == b"held\n"
        with pytest.raises(ConfigurationError, match="is open in another program"):
            write(service, root, file, may_overwrite=True)
    finally:
        writer.communicate(b"\n", timeout=30)
    write(service, root, file)


def test_two_exports_at_once_do_not_share_a_part(
    service: Service, root: Path, tmp_path: Path
) -> None:
    part = tmp_path / "chunks.db.part"
    with part.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ConfigurationError, match="being written by another export"):
            write(service, root, tmp_path / "chunks.db")
    assert not (tmp_path / "chunks.db").exists()


def test_more_chunks_than_the_limit_are_refused(
    service: Service, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "CHUNKHOUND_EXPORTED_CHUNKS", 3)
    with pytest.raises(ConfigurationError, match="shop has more than 3 chunks"):
        write(service, root, tmp_path / "chunks.db")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_refuses_leaves_nothing(service: Service, root: Path, tmp_path: Path) -> None:
    directory = tmp_path / "closed"
    directory.mkdir(mode=0o500)
    if os.access(directory, os.W_OK):  # root may write anywhere: a name that is too long does too
        directory = tmp_path
    name = "x" * 300
    with pytest.raises((ConfigurationError, OSError)):
        write(service, root, directory / name)
    assert not list(tmp_path.glob("x*"))


def test_what_is_not_indexed_is_said(service: Service, tmp_path: Path) -> None:
    checkout = repository(tmp_path / "unindexed", FILES)
    with pytest.raises(IndexerError, match="codesearch index"):
        write(service, checkout, tmp_path / "chunks.db")


def test_outside_of_a_checkout_there_is_nothing_to_read(service: Service, tmp_path: Path) -> None:
    with pytest.raises(NotARepositoryError, match="change to one"):
        write(service, tmp_path, tmp_path / "chunks.db", project="shop")


def test_a_clone_without_the_indexed_commit_is_refused(
    service: Service, root: Path, tmp_path: Path
) -> None:
    other = repository(tmp_path / "other", {"a.py": "a = 1\n"})
    with pytest.raises(CommitNotFoundError, match="is not in this clone"):
        write(service, other, tmp_path / "chunks.db", project="shop")
    assert not list(tmp_path.glob("chunks.db*"))


def test_a_clone_that_lacks_files_says_that_the_index_is_another(
    service: Service, root: Path, tmp_path: Path
) -> None:
    git(root, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    partial = ("--filter=blob:none", "--no-checkout", root.as_uri(), str(clone))
    git(tmp_path, "clone", "-q", *partial)
    done = write(service, clone, tmp_path / "chunks.db", project="shop")
    assert done.chunks == 0
    assert "The index of shop has" in done.differs
