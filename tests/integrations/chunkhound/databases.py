"""DuckDB files with ChunkHound's schema; vectors are those of the embedding stand-in.

A real file that `chunkhound` wrote is tested in `test_export.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from tests.embedding_servers import vector_of

SCHEMA = """
CREATE SEQUENCE files_id_seq;
CREATE SEQUENCE chunks_id_seq;
CREATE SEQUENCE embeddings_id_seq;
CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT now(), description TEXT);
INSERT INTO schema_version (version) VALUES (1);
CREATE TABLE files (
    id INTEGER PRIMARY KEY DEFAULT nextval('files_id_seq'), path TEXT UNIQUE NOT NULL,
    name TEXT NOT NULL, extension TEXT, size INTEGER, modified_time TIMESTAMP, content_hash TEXT,
    language TEXT, skip_reason TEXT, created_at TIMESTAMP DEFAULT now(),
    updated_at TIMESTAMP DEFAULT now());
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY DEFAULT nextval('chunks_id_seq'), file_id INTEGER REFERENCES files(id),
    chunk_type TEXT NOT NULL, symbol TEXT, code TEXT NOT NULL, start_line INTEGER,
    end_line INTEGER, start_byte INTEGER, end_byte INTEGER, language TEXT, metadata TEXT,
    created_at TIMESTAMP DEFAULT now(), updated_at TIMESTAMP DEFAULT now());
"""
NEWER_COLUMNS = (" content_hash TEXT,", " skip_reason TEXT,", " metadata TEXT,")


@dataclass(frozen=True)
class Chunk:
    """One chunk; its vector is that of its code, unless `vector` is one."""

    file: str
    code: str
    chunk_type: str = "function"
    symbol: str = "f"
    start_line: int | None = 1
    end_line: int | None = 2
    language: str = "python"
    provider: str = "openai"
    model: str = "text-embedding-3-small"
    vector: Sequence[float] | None = None


def write_database(
    path: Path, chunks: Sequence[Chunk], *, dimensions: int = 1536, is_old: bool = False
) -> Path:
    """A database of these chunks at `path`; `is_old`: without the columns that came later."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(path)) as connection:
        schema = SCHEMA
        for column in NEWER_COLUMNS if is_old else ():
            assert column in schema
            schema = schema.replace(column, "")
        connection.execute(schema)
        connection.execute(
            f"CREATE TABLE embeddings_{dimensions} (id INTEGER PRIMARY KEY "
            "DEFAULT nextval('embeddings_id_seq'), chunk_id INTEGER REFERENCES chunks(id), "
            f"provider TEXT NOT NULL, model TEXT NOT NULL, embedding FLOAT[{dimensions}], "
            "dims INTEGER NOT NULL, created_at TIMESTAMP DEFAULT now())"
        )
        add_chunks(connection, chunks, dimensions)
    return path


def add_chunks(connection: Any, chunks: Sequence[Chunk], dimensions: int = 1536) -> None:
    """Rows of files, chunks and embeddings."""
    connection.execute("BEGIN")
    for chunk in chunks:
        connection.execute(
            "INSERT INTO files (path, name, language) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [chunk.file, Path(chunk.file).name, chunk.language],
        )
        (number,) = connection.execute(
            "INSERT INTO chunks (file_id, chunk_type, symbol, code, start_line, end_line, language)"
            " SELECT id, ?, ?, ?, ?, ?, ? FROM files WHERE path = ? RETURNING id",
            [
                chunk.chunk_type, chunk.symbol, chunk.code, chunk.start_line, chunk.end_line,
                chunk.language, chunk.file,
            ],
        ).fetchone()  # fmt: skip
        vector = vector_of(chunk.code, dimensions) if chunk.vector is None else chunk.vector
        connection.execute(
            f"INSERT INTO embeddings_{dimensions} (chunk_id, provider, model, embedding, dims) "
            f"VALUES (?, ?, ?, ?::FLOAT[{dimensions}], ?)",
            [number, chunk.provider, chunk.model, str([float(one) for one in vector]), dimensions],
        )
    connection.execute("COMMIT")
