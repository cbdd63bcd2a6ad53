"""The schema of ChunkHound's DuckDB file: tables, sequences and indexes of its version 6.1.

If a table differs, ChunkHound recreates it when it opens the file. ChunkHound builds the index of
vectors (HNSW) itself at its first search.
"""

from collections.abc import Mapping
from typing import Final

# The storage format that every DuckDB 1.x reads and ChunkHound writes.
STORAGE_VERSION: Final = "v1.0.0"
# Files beside ChunkHound's database, with its directory and its model.
COMPANIONS: Final = (".root.json", ".embedding.json")

_TIMES: Final = """created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP"""
_TABLES: Final = f"""
CREATE SEQUENCE files_id_seq;
CREATE SEQUENCE chunks_id_seq;
CREATE SEQUENCE embeddings_id_seq;
CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    description TEXT);
CREATE TABLE files (
    id INTEGER PRIMARY KEY DEFAULT nextval('files_id_seq'),
    path TEXT UNIQUE NOT NULL,
    name TEXT NOT NULL,
    extension TEXT,
    size INTEGER,
    modified_time TIMESTAMP,
    content_hash TEXT,
    language TEXT,
    skip_reason TEXT,
    {_TIMES});
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY DEFAULT nextval('chunks_id_seq'),
    file_id INTEGER REFERENCES files (id),
    chunk_type TEXT NOT NULL,
    symbol TEXT,
    code TEXT NOT NULL,
    start_line INTEGER,
    end_line INTEGER,
    start_byte INTEGER,
    end_byte INTEGER,
    language TEXT,
    metadata TEXT,
    {_TIMES});
"""
_INDEXES: Final = """
CREATE INDEX IF NOT EXISTS idx_files_path ON files (path);
CREATE INDEX IF NOT EXISTS idx_files_language ON files (language);
CREATE INDEX IF NOT EXISTS idx_chunks_file_id ON chunks (file_id);
CREATE INDEX IF NOT EXISTS idx_chunks_type ON chunks (chunk_type);
CREATE INDEX IF NOT EXISTS idx_chunks_symbol ON chunks (symbol);
"""

# Names of languages that differ in ChunkHound; others are equal or unknown there.
_LANGUAGES: Final[Mapping[str, str]] = {
    "docker": "text",
    "make": "makefile",
    "objective-c": "objc",
}
# Chunk types for code outside of definitions and for windows of lines.
_CHUNK_TYPES: Final[Mapping[str, str]] = {"module": "block", "text": "block"}


def tables(dimensions: int | None) -> str:
    """Return the statements for an empty file; with `dimensions`, one for such vectors."""
    return _TABLES + (_embeddings(dimensions) if dimensions else "")


def indexes(dimensions: int | None) -> str:
    """Return the statements for the indexes, which are cheaper to create at the end."""
    return _INDEXES + (_embedding_indexes(dimensions) if dimensions else "")


def advance(sequence: str, count: int) -> str:
    """Return the statement that advances a new sequence by `count` rows."""
    return f"SELECT max(nextval('{sequence}')) FROM range({count})"  # noqa: S608


def embedding_table(dimensions: int) -> str:
    """Return the name of the table of vectors with these dimensions."""
    return f"embeddings_{dimensions}"


def map_language(name: str) -> str:
    """Map a language to ChunkHound's name."""
    return _LANGUAGES.get(name, name)


def map_chunk_type(name: str) -> str:
    """Map a chunk type to ChunkHound's name."""
    return _CHUNK_TYPES.get(name, name)


def _embeddings(dimensions: int) -> str:
    return f"""
CREATE TABLE {embedding_table(dimensions)} (
    id INTEGER PRIMARY KEY DEFAULT nextval('embeddings_id_seq'),
    chunk_id INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    embedding FLOAT[{dimensions}],
    dims INTEGER NOT NULL DEFAULT {dimensions},
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
"""


def _embedding_indexes(dimensions: int) -> str:
    table = embedding_table(dimensions)
    # The index of 1536 dimensions has an older form of name.
    by_chunk = table if dimensions == 1536 else dimensions
    return f"""
CREATE INDEX IF NOT EXISTS idx_{by_chunk}_chunk_id ON {table} (chunk_id);
CREATE INDEX IF NOT EXISTS idx_{dimensions}_provider_model ON {table} (provider, model);
CREATE UNIQUE INDEX IF NOT EXISTS idx_{dimensions}_chunk_provider_model_unique
    ON {table} (chunk_id, provider, model);
"""
