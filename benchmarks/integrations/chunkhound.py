"""A search of ChunkHound's database, without the request that embeds the query."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np

from aeterna_code_search.integrations.chunkhound.database_index import DatabaseIndex
from aeterna_code_search.integrations.chunkhound.records import (
    ChunkType,
    Filters,
    SearchRequest,
    Target,
)
from benchmarks.tables import Figure, percentile

CHUNKS = 20_000
FILES = 1_000
DIMENSIONS = 1_536
SEARCHES = 25
BOUND_MILLISECONDS = 200

_TABLES = f"""
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT, language TEXT, skip_reason TEXT);
INSERT INTO files SELECT i, 'src/module_' || i || '.py', 'python', NULL FROM range({FILES}) t(i);
CREATE TABLE chunks (id INTEGER PRIMARY KEY, file_id INTEGER, chunk_type TEXT, symbol TEXT,
    code TEXT, start_line INTEGER, end_line INTEGER, language TEXT);
INSERT INTO chunks SELECT i, i % {FILES}, CASE WHEN i % 3 = 0 THEN 'class' ELSE 'function' END,
    'name_' || i, repeat('    result = call(' || i || ')' || chr(10), 30), 1, 30, 'python'
    FROM range({CHUNKS}) t(i);
CREATE TABLE embeddings_{DIMENSIONS} (id INTEGER PRIMARY KEY, chunk_id INTEGER, provider TEXT,
    model TEXT, embedding FLOAT[{DIMENSIONS}], dims INTEGER);
INSERT INTO embeddings_{DIMENSIONS}
    SELECT i, i, 'openai', 'text-embedding-3-small',
    list_transform(range({DIMENSIONS}), x -> (random() - 0.5)::FLOAT)::FLOAT[{DIMENSIONS}],
    {DIMENSIONS} FROM range({CHUNKS}) t(i);
"""  # noqa: S608 (numbers)


def measure(directory: Path) -> Iterator[Figure]:
    """Milliseconds of searches over 20,000 chunks; each opens the file and closes it."""
    database = directory / ".chunkhound/db/chunks.db"
    database.parent.mkdir(parents=True)
    with duckdb.connect(str(database)) as connection:
        connection.execute(_TABLES)
    target = Target(directory, database, is_explicit=False)
    index = DatabaseIndex(target, _embed)
    plain = SearchRequest(target, ("query",))
    filters = Filters("python", ChunkType.FUNCTION, ("test", "module_7"))
    filtered = SearchRequest(target, ("query",), filters=filters)
    batch = SearchRequest(target, ("one", "two", "three"))
    what = f"ChunkHound's database, {CHUNKS:,} chunks:"
    milliseconds = _milliseconds(index, plain)
    yield Figure(f"{what} search, p50", percentile(milliseconds, 50), "ms", BOUND_MILLISECONDS)
    yield Figure(f"{what} search, p95", percentile(milliseconds, 95), "ms")
    yield Figure(f"{what} with filters, p50", percentile(_milliseconds(index, filtered), 50), "ms")
    yield Figure(f"{what} three queries, p50", percentile(_milliseconds(index, batch), 50), "ms")


def _milliseconds(index: DatabaseIndex, request: SearchRequest) -> list[float]:
    index.search(request)
    taken = []
    for _ in range(SEARCHES):
        started = time.perf_counter()
        (found, *_) = index.search(request)
        taken.append(1000 * (time.perf_counter() - started))
        assert len(found) == request.limit
    return taken


def _embed(queries: Sequence[str]) -> list[list[float]]:
    """Vectors at no cost: the embedding service is not measured."""
    return [
        np.random.default_rng(len(query)).standard_normal(DIMENSIONS).tolist() for query in queries
    ]
