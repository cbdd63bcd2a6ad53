"""The pgvector store's statements: one table per embedder in the schema `codesearch`."""

import struct
from collections.abc import Sequence

import numpy as np
from psycopg import sql

from indexer.records import EmbedderSpec, TermVector, Vector
from indexer.store.base import Collection, Point, PointFilter
from indexer.store.schema import embedder_key, normalized_prefix, path_prefixes

TermWeights = Sequence[tuple[int, float]]

# The most that sparsevec allows; term ids are 29 bits and at least 1 (lexical.term_id).
_TERM_DIMENSIONS = 1_000_000_000

_COLUMNS = "id, organization, repository, run, language, type, dirs, vector, term_ids, terms"
# Types of _COLUMNS in a binary COPY, which carries no types: pgvector's are handed over as bytes.
COPY_TYPES = (
    *("uuid", "text", "int8", "uuid", "text", "text", "text[]"),
    *("bytea", "int4[]", "bytea"),
)

_CREATE = """
SELECT pg_advisory_xact_lock(hashtextextended('codesearch vector store', 0));
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS codesearch;
CREATE TABLE IF NOT EXISTS {table} (
    id uuid PRIMARY KEY,
    organization text NOT NULL,
    repository bigint NOT NULL,
    run uuid NOT NULL,
    language text NOT NULL,
    type text NOT NULL,
    dirs text[] NOT NULL,
    vector halfvec({dimensions}) NOT NULL,
    term_ids int[] NOT NULL,
    terms sparsevec({term_dimensions}) NOT NULL
);
CREATE INDEX IF NOT EXISTS {scope_index} ON {table} (organization, repository);
CREATE INDEX IF NOT EXISTS {term_index} ON {table} USING gin (term_ids);
CREATE INDEX IF NOT EXISTS {path_index} ON {table} USING gin (dirs);
CREATE INDEX IF NOT EXISTS {vector_index} ON {table} USING hnsw (vector halfvec_ip_ops)
"""
_MERGE = f"""
INSERT INTO {{table}} ({_COLUMNS}) SELECT DISTINCT ON (id) {_COLUMNS} FROM {{stage}}
ON CONFLICT (id) DO UPDATE SET ({_COLUMNS}) = ROW (EXCLUDED.*)
"""  # noqa: S608 - constants
_DENSE = """
SELECT id, -(vector <#> %(vector)s::halfvec) FROM {table} WHERE {allowed}
ORDER BY {distance} LIMIT %(limit)s
"""
_COUNT = "SELECT count(*) FROM (SELECT FROM {table} WHERE {allowed} LIMIT %(limit)s) AS counted"
_LEXICAL = """
SELECT id, -(terms <#> %(terms)s::sparsevec) AS score FROM {table}
WHERE {allowed} AND term_ids && %(candidates)s::int[] ORDER BY score DESC, id LIMIT %(limit)s
"""
_OWN = "organization = %(organization)s AND repository = %(repository)s"

EXISTS = "SELECT to_regclass(%s) IS NOT NULL"
# The scan goes on until the filter has left enough; its order is mended by the store.
ITERATIVE_SCAN = "SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = 200"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'codesearch'"


def table(embedder: EmbedderSpec) -> sql.Identifier:
    """The table of an embedder's points."""
    return sql.Identifier("codesearch", f"points_{embedder_key(embedder)}")


def create(embedder: EmbedderSpec) -> sql.Composed:
    """Make what an embedder's points need and is not there; one process at a time does so."""
    key = embedder_key(embedder)
    return sql.SQL(_CREATE).format(
        table=table(embedder),
        dimensions=sql.Literal(embedder.dimensions),
        term_dimensions=sql.Literal(_TERM_DIMENSIONS),
        scope_index=sql.Identifier(f"scope_{key}"),
        term_index=sql.Identifier(f"terms_{key}"),
        path_index=sql.Identifier(f"paths_{key}"),
        vector_index=sql.Identifier(f"vector_{key}"),
    )


def stage(embedder: EmbedderSpec) -> sql.Composed:
    """A temporary table like the embedder's, gone at commit."""
    return sql.SQL("CREATE TEMPORARY TABLE staged (LIKE {table}) ON COMMIT DROP").format(
        table=table(embedder)
    )


COPY = f"COPY staged ({_COLUMNS}) FROM STDIN (FORMAT BINARY)"


def merge(embedder: EmbedderSpec) -> sql.Composed:
    """Insert or replace what was staged; of an id that was staged twice, either."""
    return sql.SQL(_MERGE).format(table=table(embedder), stage=sql.Identifier("staged"))


def count(embedder: EmbedderSpec) -> sql.Composed:
    """How many points the repositories hold, but no more than %(limit)s."""
    return sql.SQL(_COUNT).format(table=table(embedder), allowed=_allowed(PointFilter()))


def dense(embedder: EmbedderSpec, wanted: PointFilter, *, exact: bool) -> sql.Composed:
    """(id, cosine) of the nearest points: vectors are of unit length or zero."""
    distance = "vector <#> %(vector)s::halfvec"
    if exact:
        distance = f"({distance}) + 0"  # an expression that the HNSW index does not know
    return sql.SQL(_DENSE).format(
        table=table(embedder), allowed=_allowed(wanted), distance=sql.SQL(distance)
    )


def lexical(embedder: EmbedderSpec, wanted: PointFilter) -> sql.Composed:
    """(id, weighted term sum) of the best points that hold one of the candidate terms."""
    return sql.SQL(_LEXICAL).format(table=table(embedder), allowed=_allowed(wanted))


def select(what: str, embedder: EmbedderSpec) -> sql.Composed:
    """`what` of a repository's points that are among %(ids)s, or of all where that is null."""
    return sql.SQL(
        f"SELECT {what} FROM {{table}} WHERE {_OWN} "  # noqa: S608 - constants
        "AND (%(ids)s::uuid[] IS NULL OR id = ANY(%(ids)s))"
    ).format(table=table(embedder))


def delete(embedder: EmbedderSpec) -> sql.Composed:
    """Remove a repository's points that are among %(ids)s, or all where that is null."""
    return sql.SQL(
        f"DELETE FROM {{table}} WHERE {_OWN} "  # noqa: S608 - constants
        "AND (%(ids)s::uuid[] IS NULL OR id = ANY(%(ids)s))"
    ).format(table=table(embedder))


def vacuum(name: str) -> sql.Composed:
    """Drop dead rows and refresh the planner's statistics of one of TABLES."""
    return sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier("codesearch", name))


def row(collection: Collection, point: Point) -> tuple[object, ...]:
    """A point as COPY takes it."""
    return (
        *(point.id, collection.organization, collection.repository, point.run),
        *(point.language, point.type, path_prefixes(point.path)),
        *(_halfvec(point.vector), point.terms.ids.tolist(), _sparsevec(point.terms)),
    )


def vector_text(vector: Vector) -> str:
    """A query's vector as halfvec reads it."""
    return str(vector.tolist())


def terms_text(weights: TermWeights) -> str:
    """A query's terms as sparsevec reads them."""
    pairs = ",".join(f"{term}:{weight}" for term, weight in weights)
    return f"{{{pairs}}}/{_TERM_DIMENSIONS}"


def filter_parameters(wanted: PointFilter) -> dict[str, object]:
    """The parameters that `dense` and `lexical` name for the filter."""
    return {
        "languages": list(wanted.languages),
        "types": list(wanted.types),
        "prefix": [normalized_prefix(wanted.path)],
    }


def _allowed(wanted: PointFilter) -> sql.SQL:
    conditions = ["organization = %(organization)s AND repository = ANY(%(repositories)s)"]
    if wanted.languages:
        conditions.append("language = ANY(%(languages)s)")
    if wanted.types:
        conditions.append("type = ANY(%(types)s)")
    if normalized_prefix(wanted.path):
        conditions.append("dirs @> %(prefix)s")
    return sql.SQL(" AND ".join(conditions))


def _halfvec(vector: Vector) -> bytes:
    # halfvec_recv: dimensions and an unused word as int16, then float16, all big-endian.
    return struct.pack(">hh", len(vector), 0) + vector.astype(">f2").tobytes()


def _sparsevec(terms: TermVector) -> bytes:
    # sparsevec_recv: dimensions, count, unused as int32, then indices from 0, then float32 values;
    # a zero value is refused.
    kept = terms.weights != 0
    head = struct.pack(">iii", _TERM_DIMENSIONS, int(kept.sum()), 0)
    indices: bytes = (terms.ids[kept] - np.uint32(1)).astype(">i4").tobytes()
    values: bytes = terms.weights[kept].astype(">f4").tobytes()
    return head + indices + values
