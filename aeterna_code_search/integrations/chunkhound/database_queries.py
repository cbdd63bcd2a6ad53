"""The SQL for ChunkHound databases, built from constants, numbers and placeholders."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from aeterna_code_search.integrations.chunkhound.embedding import SPEC
from aeterna_code_search.integrations.chunkhound.records import ChunkType, Filters
from indexer.records.files import LABEL_CHARACTERS, NAME_CHARACTERS, PATH_BYTES

CHUNKHOUND_DATABASE_LANGUAGES: Final = 100  # of a status
Columns = Mapping[str, Mapping[str, str]]  # table → column → type

EMBEDDINGS: Final = f"embeddings_{SPEC.dimensions}"
VECTOR: Final = f"FLOAT[{SPEC.dimensions}]"
MODELS_NAMED: Final = 5

_HAS_MODEL: Final = "e.provider = 'openai' AND e.model = 'text-embedding-3-small'"

HAS_EMBEDDINGS: Final = f"SELECT 1 FROM project.main.{EMBEDDINGS} AS e WHERE {_HAS_MODEL} LIMIT 1"
COUNT_EMBEDDINGS: Final = f"SELECT count(*) FROM project.main.{EMBEDDINGS}"
COUNT_CHUNKS: Final = "SELECT count(*) FROM project.main.chunks"
MODELS: Final = (
    f"SELECT DISTINCT left(provider || ' ' || model, {NAME_CHARACTERS}) "
    f"FROM project.main.{EMBEDDINGS} ORDER BY 1 LIMIT {MODELS_NAMED}"
)


def count_files(columns: Columns) -> str:
    """Count the indexed files."""
    return f"SELECT count(*) FROM project.main.files AS f WHERE {_indexed(columns)}"


def count_languages(columns: Columns) -> str:
    """Count the files of each language, the most common first."""
    if "language" not in columns["files"]:
        return "SELECT '', 0 WHERE FALSE"
    return (
        f"SELECT left(coalesce(f.language, 'unknown'), {LABEL_CHARACTERS}), count(*) "
        f"FROM project.main.files AS f WHERE {_indexed(columns)} "
        f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {CHUNKHOUND_DATABASE_LANGUAGES}"
    )


def rank_chunks(
    columns: Columns,
    vectors: Sequence[Sequence[float]],
    filters: Filters,
    *,
    limit: int,
    part: str,
) -> tuple[str, list[object]]:
    """Select vector number, chunk and similarity, unordered; return SQL and parameters.

    It selects the best chunks of each vector in a `part` of the embeddings, which is read once.
    Vectors are literals: a parameter would be converted for each row.
    """
    similarities = ", ".join(
        f"array_cosine_similarity(e.embedding, {_literal(vector)}) AS s{number}"
        for number, vector in enumerate(vectors)
    )
    conditions, parameters = _conditions(columns, filters)
    # -1: one of the two vectors is zero or has NaN.
    best = " UNION ALL ".join(
        f"(SELECT {number} AS vector, id, max(s{number}) AS best FROM admitted "
        f"WHERE s{number} > -1 GROUP BY id ORDER BY best DESC, id LIMIT {int(limit)})"
        for number in range(len(vectors))
    )
    return (
        f"WITH scored AS MATERIALIZED (SELECT e.chunk_id, {similarities} "
        f"FROM project.main.{EMBEDDINGS} AS e WHERE {_HAS_MODEL} AND {part}), "
        "admitted AS MATERIALIZED (SELECT c.id, s.* FROM scored AS s "
        "JOIN project.main.chunks AS c ON c.id = s.chunk_id "
        f"JOIN project.main.files AS f ON f.id = c.file_id WHERE {conditions}) {best}",
        parameters,
    )


def _literal(vector: Sequence[float]) -> str:
    return f"[{','.join(repr(float(value)) for value in vector)}]::{VECTOR}"


def describe_chunks(columns: Columns, *, characters: int, count: int) -> str:
    """Select the columns of results; texts are read up to `characters`."""
    symbol = "c.symbol" if "symbol" in columns["chunks"] else "''"
    language_columns = [
        f"{alias}.language"
        for alias, table in (("f", "files"), ("c", "chunks"))
        if "language" in columns[table]
    ]
    language = f"coalesce({', '.join([*language_columns, repr('')])})"
    return (
        # An untrusted table may have duplicate ids.
        f"SELECT DISTINCT ON (c.id) c.id, left(coalesce(f.path, ''), {PATH_BYTES}),"
        f" left(coalesce({symbol}, ''), {NAME_CHARACTERS}),"
        f" left(coalesce(c.chunk_type, ''), {LABEL_CHARACTERS}),"
        f" left({language}, {LABEL_CHARACTERS}),"
        " try_cast(c.start_line AS INTEGER), try_cast(c.end_line AS INTEGER),"
        f" left(coalesce(c.code, ''), {characters + 1}) FROM project.main.chunks AS c "
        "JOIN project.main.files AS f ON f.id = c.file_id "
        f"WHERE c.id IN ({', '.join('?' * count)})"
    )


def cut_embeddings(count: int, threads: int) -> list[str]:
    """Return conditions that split `count` embeddings into one part per thread.

    DuckDB reads 122,880 rows in one thread, which takes most of the time of a search.
    """
    step = math.ceil(count / threads) or 1
    parts = [
        f"e.rowid >= {part * step} AND e.rowid < {(part + 1) * step}" for part in range(threads - 1)
    ]
    return [*parts, f"e.rowid >= {(threads - 1) * step}"]


def _conditions(columns: Columns, filters: Filters) -> tuple[str, list[object]]:
    conditions, parameters = [_indexed(columns)], list[object]()
    if filters.language:
        language = "lower(f.language)" if "language" in columns["files"] else "''"
        conditions.append(f"{language} = lower(?)")
        parameters.append(filters.language)
    if filters.chunk_type:
        conditions.append("lower(c.chunk_type) IN (SELECT unnest(?::VARCHAR[]))")
        parameters.append(_stored_types(filters.chunk_type))
    for part in filters.excluded:
        conditions.append("NOT contains(lower(f.path), ?)")
        parameters.append(part)
    return " AND ".join(conditions), parameters


def _stored_types(chunk_type: ChunkType) -> list[str]:
    """Return ChunkHound's types; it stores docstrings separately from comments."""
    return ["comment", "docstring"] if chunk_type is ChunkType.COMMENT else [str(chunk_type)]


def _indexed(columns: Columns) -> str:
    """Return the condition for indexed files; older versions store no skipped files."""
    return "f.skip_reason IS NULL" if "skip_reason" in columns["files"] else "TRUE"
