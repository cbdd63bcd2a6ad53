"""The writer of an exported DuckDB file, with the schema of ChunkHound's version 6.1.

If a table differs, ChunkHound recreates it when it opens the file. ChunkHound builds the index of
vectors (HNSW) itself at its first search. The origin is written in one transaction with all chunks,
so a file without all vectors can be resumed.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aeterna_code_search.client.part_file import opened_database, write_ahead_log
from aeterna_code_search.integrations.chunkhound.commit_files import CommitFile
from indexer.records.vectors import EmbedderSpec, Vector

if TYPE_CHECKING:
    import duckdb

_SIGN: Final = "Exported by codesearch: "
_ROWS_AT_ONCE: Final = 5_000
# The storage format that every DuckDB 1.x reads and ChunkHound writes.
_STORAGE_VERSION: Final = "v1.0.0"
# Files beside ChunkHound's database, with its directory and its model.
COMPANIONS: Final = (".root.json", ".embedding.json")
_TIMES: Final = ("created_at", "updated_at")
_FILES: Final = {
    "id": "INTEGER PRIMARY KEY DEFAULT nextval('files_id_seq')",
    "path": "TEXT UNIQUE NOT NULL",
    "name": "TEXT NOT NULL",
    "extension": "TEXT",
    "size": "INTEGER",
    "modified_time": "TIMESTAMP",
    "content_hash": "TEXT",
    "language": "TEXT",
    "skip_reason": "TEXT",
}
_CHUNKS: Final = {
    "id": "INTEGER PRIMARY KEY DEFAULT nextval('chunks_id_seq')",
    "file_id": "INTEGER REFERENCES files (id)",
    "chunk_type": "TEXT NOT NULL",
    "symbol": "TEXT",
    "code": "TEXT NOT NULL",
    "start_line": "INTEGER",
    "end_line": "INTEGER",
    "start_byte": "INTEGER",
    "end_byte": "INTEGER",
    "language": "TEXT",
    "metadata": "TEXT",
}


def _table(name: str, columns: Mapping[str, str]) -> str:
    listed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
    times = ", ".join(f"{at} TIMESTAMP DEFAULT CURRENT_TIMESTAMP" for at in _TIMES)
    return f"CREATE TABLE {name} ({listed}, {times});"


_TABLES: Final = f"""
CREATE SEQUENCE files_id_seq;
CREATE SEQUENCE chunks_id_seq;
CREATE SEQUENCE embeddings_id_seq;
CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    description TEXT);
{_table("files", _FILES)}
{_table("chunks", _CHUNKS)}
"""
_INDEXES: Final = """
CREATE INDEX IF NOT EXISTS idx_files_path ON files (path);
CREATE INDEX IF NOT EXISTS idx_files_language ON files (language);
CREATE INDEX IF NOT EXISTS idx_chunks_file_id ON chunks (file_id);
CREATE INDEX IF NOT EXISTS idx_chunks_type ON chunks (chunk_type);
CREATE INDEX IF NOT EXISTS idx_chunks_symbol ON chunks (symbol);
"""


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an export; `embedder` is that of its vectors, "" without vectors."""

    project: str
    commit: str
    extractor: str
    embedder: str


class Counts(NamedTuple):
    """Row counts of a file."""

    files: int
    chunks: int
    embeddings: int


class StoredChunk(NamedTuple):
    """The parts of a chunk that are embedded."""

    id: int
    path: str
    container: str
    code: str


def make_empty(path: Path) -> None:
    """Overwrite the file at `path` with an empty database. Raises duckdb.Error.

    The file is locked, so it is not replaced, and DuckDB does not open a file without bytes.
    """
    with TemporaryDirectory() as directory:
        empty = Path(directory, "empty.db")
        with _opened(empty):
            pass
        content = empty.read_bytes()
    with path.open("r+b") as file:
        file.truncate()
        file.write(content)
    write_ahead_log(path).unlink(missing_ok=True)


@contextmanager
def writing(path: Path, spec: EmbedderSpec | None) -> "Iterator[DatabaseWriter]":
    """Open the file at `path` for writing; `spec`: with vectors. Raises duckdb.Error."""
    with _opened(path) as database:
        yield DatabaseWriter(database, spec)


def read_origin(path: Path) -> Origin | None:
    """Read the origin of an export with all its chunks; None for other files. Never raises."""
    import duckdb

    try:
        if not path.stat().st_size:
            return None
        with opened_database(path, read_only=True) as database:
            row = database.execute("SELECT description FROM schema_version").fetchone()
        sign, _, origin = str(row[0]).partition(_SIGN) if row else ("", "", "")
        return Origin(**json.loads(origin)) if not sign and origin else None
    except (OSError, ValueError, TypeError, duckdb.Error):
        return None


def _opened(path: Path) -> "AbstractContextManager[duckdb.DuckDBPyConnection]":
    return opened_database(
        path,
        storage_compatibility_version=_STORAGE_VERSION,
        # Each checkpoint rewrites the last 122,880 rows, which is 750 MB of vectors.
        checkpoint_threshold="256MB",
    )


class DatabaseWriter:
    """A writer of one file's rows. Raises duckdb.Error."""

    def __init__(self, database: "duckdb.DuckDBPyConnection", spec: EmbedderSpec | None) -> None:
        self._database = database
        self._spec = spec

    @property
    def _dimensions(self) -> int:
        return self._spec.dimensions if self._spec else 0

    def add_files(self, files: Iterable[CommitFile], origin: Origin) -> None:
        """Create the tables and add files with their chunks in one transaction."""
        rows: list[dict[str, Any]] = []
        chunks: list[dict[str, Any]] = []
        first = 1
        self._database.begin()
        self._database.execute(_TABLES + (_embeddings(self._dimensions) if self._spec else ""))
        for number, file in enumerate(files, start=1):
            rows.append({"id": number, **file.row})
            for chunk in file.chunks:
                chunks.append({"id": first, "file_id": number, **chunk})
                first += 1
            if len(rows) + len(chunks) >= _ROWS_AT_ONCE:
                self._insert_files(rows, chunks)
                rows, chunks = [], []
        self._insert_files(rows, chunks)
        self._database.execute(
            "INSERT INTO schema_version (version, description) VALUES (1, ?)",
            [_SIGN + json.dumps(asdict(origin))],
        )
        self._database.commit()

    def chunks_without_vectors(self) -> list[int]:
        """Return the ids of chunks without vectors, in order."""
        rows = self._database.execute(
            f"SELECT id FROM chunks ANTI JOIN {self._embeddings} AS known "  # noqa: S608
            "ON known.chunk_id = chunks.id ORDER BY id"
        ).fetchall()
        return [id for (id,) in rows]

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        """Read the chunks with these ascending ids."""
        rows = self._database.execute(
            "SELECT chunks.id, path, coalesce(metadata ->> 'container', ''), code "
            "FROM chunks JOIN files ON files.id = file_id "
            "JOIN (SELECT unnest(from_json(?, '[\"INTEGER\"]')) AS id) AS wanted "
            "ON wanted.id = chunks.id ORDER BY chunks.id",
            [json.dumps(list(ids))],
        ).fetchall()
        return [StoredChunk(*row) for row in rows]

    def add_vectors(self, vectors: Mapping[int, Vector]) -> None:
        """Add vectors by the id of their chunk."""
        import numpy as np

        if not vectors or not self._spec:
            return
        dimensions = self._spec.dimensions
        # As columns with one number per row: ten times as fast as lists or JSON.
        numbers = {
            "chunk": np.repeat(np.fromiter(vectors, np.int32), dimensions),
            "place": np.tile(np.arange(dimensions, dtype=np.int32), len(vectors)),
            "value": np.concatenate(list(vectors.values())).astype(np.float32),
        }
        self._database.register("numbers", numbers)
        self._database.execute(
            f"INSERT INTO {self._embeddings} (chunk_id, provider, model, embedding) "  # noqa: S608
            f"SELECT chunk, ?, ?, list(value ORDER BY place)::FLOAT[{dimensions}] "
            "FROM numbers GROUP BY chunk ORDER BY chunk",
            [self._spec.provider, self._spec.model],
        )
        self._database.unregister("numbers")

    def finish(self) -> Counts:
        """Create the indexes and write all to the file."""
        embeddings = self._count(self._embeddings) if self._spec else 0
        counts = Counts(self._count("files"), self._count("chunks"), embeddings)
        # They are cheaper to create at the end.
        indexes = _embedding_indexes(self._dimensions) if self._spec else ""
        self._database.execute(_INDEXES + indexes)
        for sequence, count in (("files_id_seq", counts.files), ("chunks_id_seq", counts.chunks)):
            self._database.execute(f"SELECT max(nextval('{sequence}')) FROM range({count})")  # noqa: S608
        self._database.execute("CHECKPOINT")
        return counts

    @property
    def _embeddings(self) -> str:
        return _embedding_table(self._dimensions)

    def _insert_files(self, rows: list[dict[str, Any]], chunks: list[dict[str, Any]]) -> None:
        self._insert("files", _FILES, rows)
        self._insert("chunks", _CHUNKS, chunks)

    def _insert(self, table: str, columns: Mapping[str, str], rows: list[dict[str, Any]]) -> None:
        types = {column: declared.split()[0] for column, declared in columns.items()}
        # One parameter: in DuckDB a list for each column takes 40 times as long.
        self._database.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT one.* FROM "  # noqa: S608
            f"(SELECT unnest(from_json(?, '{json.dumps([types])}')) AS one)",
            [json.dumps(rows)],
        )

    def _count(self, table: str) -> int:
        ((count,),) = self._database.execute(f"SELECT count(*) FROM {table}").fetchall()  # noqa: S608
        return int(count)


def _embedding_table(dimensions: int) -> str:
    """Return the name of the table of vectors with these dimensions."""
    return f"embeddings_{dimensions}"


def _embeddings(dimensions: int) -> str:
    return f"""
CREATE TABLE {_embedding_table(dimensions)} (
    id INTEGER PRIMARY KEY DEFAULT nextval('embeddings_id_seq'),
    chunk_id INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    embedding FLOAT[{dimensions}],
    dims INTEGER NOT NULL DEFAULT {dimensions},
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
"""


def _embedding_indexes(dimensions: int) -> str:
    table = _embedding_table(dimensions)
    # The index of 1536 dimensions has an older form of name.
    by_chunk = table if dimensions == 1536 else dimensions
    return f"""
CREATE INDEX IF NOT EXISTS idx_{by_chunk}_chunk_id ON {table} (chunk_id);
CREATE INDEX IF NOT EXISTS idx_{dimensions}_provider_model ON {table} (provider, model);
CREATE UNIQUE INDEX IF NOT EXISTS idx_{dimensions}_chunk_provider_model_unique
    ON {table} (chunk_id, provider, model);
"""
