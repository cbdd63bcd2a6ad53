"""The pgvector store's tables, one per embedder and partitioned by organisation, and its SQL."""

import hashlib
import struct
from collections.abc import Sequence

import numpy as np
import psycopg
from psycopg import sql

from indexer.records.vectors import EmbedderSpec, TermVector, Vector
from indexer.store.base import Collection, Point, PointFilter
from indexer.store.schema import MAX_TERM_WEIGHT, embedder_key, normalized_prefix, path_prefixes

SCHEMA = "codesearch"
# The most that sparsevec allows; term ids are 29 bits and at least 1 (lexical.term_id).
TERM_DIMENSIONS = 1_000_000_000
# A tsvector, because its index evaluates any condition at once and reads common terms last.
TERM_IDS = "array_to_tsvector(term_ids::text[])"

COLUMNS = "organization, id, repository, run, language, type, dirs, vector, term_ids, terms"

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('codesearch vector store', 0))"
_SCHEMA = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS codesearch
"""
_TABLE = """
CREATE TABLE {table} (
    organization text NOT NULL,
    id uuid NOT NULL,
    repository bigint NOT NULL,
    run uuid NOT NULL,
    language text NOT NULL,
    type text NOT NULL,
    dirs text[] NOT NULL,
    vector halfvec({dimensions}) NOT NULL,
    term_ids int[] NOT NULL,
    terms sparsevec({term_dimensions}) NOT NULL,
    PRIMARY KEY (organization, id)
) PARTITION BY LIST (organization);
CREATE INDEX ON {table} (repository, language, type);
CREATE INDEX ON {table} USING gin (({term_ids}));
CREATE INDEX ON {table} USING gin (dirs)
"""
# Attached afterwards: CREATE TABLE … PARTITION OF would wait for every search of the table.
_PARTITION = """
CREATE TABLE {partition} (LIKE {table} INCLUDING INDEXES);
ALTER TABLE {table} ATTACH PARTITION {partition} FOR VALUES IN ({organization})
"""
_DIVIDE = f"""
INSERT INTO {{divided}} ({COLUMNS}) SELECT {COLUMNS} FROM {{plain}};
DROP TABLE {{plain}};
ALTER TABLE {{divided}} RENAME TO {{name}}
"""  # noqa: S608 - constants
_PLAIN_TABLES = """
SELECT relname, atttypmod FROM pg_class
JOIN pg_namespace ON pg_namespace.oid = relnamespace
JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'vector'
WHERE nspname = %s AND relkind = 'r' AND NOT relispartition
"""
_DIVIDED_TABLES = """
SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = %s AND relkind = 'p' ORDER BY relname
"""
_EXISTS = "SELECT to_regclass(%s) IS NOT NULL"


def table(embedder: EmbedderSpec) -> sql.Identifier:
    """Return the name of an embedder's table."""
    return sql.Identifier(SCHEMA, _table_name(embedder))


def partition(embedder: EmbedderSpec, organization: str) -> sql.Identifier:
    """Return the name of an organisation's partition of the embedder's table."""
    return sql.Identifier(SCHEMA, _partition_name(_table_name(embedder), organization))


def _table_name(embedder: EmbedderSpec) -> str:
    return f"points_{embedder_key(embedder)}"


def _partition_name(name: str, organization: str) -> str:
    """Return at most 48 characters; the hash distinguishes equal readable parts."""
    digest = hashlib.sha256(f"{name} {organization}".encode()).hexdigest()[:8]
    return f"points_{organization[:32]}_{digest}"


def exists(connection: psycopg.Connection, name: sql.Identifier) -> bool:
    """Whether the table exists."""
    return connection.execute(_EXISTS, [name.as_string(connection)]).fetchone() == (True,)


def make_partition(
    connection: psycopg.Connection, embedder: EmbedderSpec, organization: str
) -> None:
    """Create an organisation's table and partition if missing, under a lock."""
    if exists(connection, partition(embedder, organization)):
        return
    connection.execute(_LOCK)
    connection.execute(_SCHEMA)
    name = table(embedder)
    if not exists(connection, name):
        _make_table(connection, name, embedder.dimensions)
    divide_plain_tables(connection)
    if not exists(connection, partition(embedder, organization)):
        _attach(connection, name, _table_name(embedder), organization)


def drop_partitions(connection: psycopg.Connection, organization: str) -> None:
    """Drop an organisation's partitions of all embedders. Searches wait briefly."""
    for (name,) in connection.execute(_DIVIDED_TABLES, [SCHEMA]).fetchall():
        part = sql.Identifier(SCHEMA, _partition_name(name, organization))
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(part))


def _make_table(connection: psycopg.Connection, name: sql.Identifier, dimensions: int) -> None:
    connection.execute(
        sql.SQL(_TABLE).format(
            table=name,
            dimensions=sql.Literal(dimensions),
            term_dimensions=sql.Literal(TERM_DIMENSIONS),
            term_ids=sql.SQL(TERM_IDS),
        )
    )


def _attach(
    connection: psycopg.Connection, parent: sql.Identifier, name: str, organization: str
) -> None:
    connection.execute(
        sql.SQL(_PARTITION).format(
            table=parent,
            partition=sql.Identifier(SCHEMA, _partition_name(name, organization)),
            organization=sql.Literal(organization),
        )
    )


def divide_plain_tables(connection: psycopg.Connection) -> None:
    """Partition tables of an earlier version, under a lock.

    Until the caller's transaction ends, searches use the plain tables and writes wait.
    """
    if connection.execute(_PLAIN_TABLES, [SCHEMA]).fetchone():
        connection.execute(_LOCK)
        for name, dimensions in connection.execute(_PLAIN_TABLES, [SCHEMA]).fetchall():
            _divide(connection, name, dimensions)


def _divide(connection: psycopg.Connection, name: str, dimensions: int) -> None:
    plain, divided = sql.Identifier(SCHEMA, name), sql.Identifier(SCHEMA, f"{name}_new")
    connection.execute(sql.SQL("LOCK TABLE {} IN SHARE MODE").format(plain))
    _make_table(connection, divided, dimensions)
    organizations = sql.SQL("SELECT DISTINCT organization FROM {}").format(plain)
    for (organization,) in connection.execute(organizations).fetchall():
        _attach(connection, divided, name, organization)
    statements = sql.SQL(_DIVIDE).format(divided=divided, plain=plain, name=sql.Identifier(name))
    connection.execute(statements)


TermWeights = Sequence[tuple[int, float]]

# The heaviest terms that a condition distinguishes; more of them cost more than they save.
_DISTINGUISHED_TERMS = 10
_ROUNDING = 0.999  # scores are sums of float32


def by_weight(terms: TermVector) -> TermWeights:
    """Return a query's (term id, weight) pairs, the heaviest first."""
    pairs = zip(terms.ids.tolist(), terms.weights.tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def max_score(weights: TermWeights) -> float:
    """Return an upper bound of all scores."""
    return MAX_TERM_WEIGHT * sum(weight for _, weight in weights)


def any_of(weights: TermWeights) -> str:
    """Return a tsquery for the points that hold any of the terms."""
    return "|".join(str(term) for term, _ in weights)


def score_condition(weights: TermWeights, score: float) -> str:
    """Return a tsquery for the points that could reach `score`, and few others.

    `weights` is the result of `by_weight`. Every point counts as holding the lighter terms that the
    condition does not distinguish.
    """
    heavy, light = weights[:_DISTINGUISHED_TERMS], weights[_DISTINGUISHED_TERMS:]
    needed = _ROUNDING * score / MAX_TERM_WEIGHT - sum(weight for _, weight in light)
    if needed <= 0:
        return any_of(weights)
    return _holding(heavy, needed)


def _holding(weights: TermWeights, needed: float) -> str:
    """Return a tsquery for the sets of terms whose weights reach `needed`.

    Empty if all terms together are not enough.
    """
    if sum(weight for _, weight in weights) < needed:
        return ""
    (term, weight), rest = weights[0], weights[1:]
    alone = weight >= needed
    with_it = str(term) if alone else f"{term}&({_holding(rest, needed - weight)})"
    without = _holding(rest, needed)
    return f"{with_it}|{without}" if without else with_it


# Types of COLUMNS in a binary COPY, which carries no types: pgvector's are passed as bytes.
COPY_TYPES = (
    *("text", "uuid", "int8", "uuid", "text", "text", "text[]"),
    *("bytea", "int4[]", "bytea"),
)
COPY = f"COPY staged ({COLUMNS}) FROM STDIN (FORMAT BINARY)"

_STAGE = "CREATE TEMPORARY TABLE staged (LIKE {table}) ON COMMIT DROP"
_MERGE = f"""
INSERT INTO {{table}} ({COLUMNS}) SELECT DISTINCT ON (id) {COLUMNS} FROM staged
ON CONFLICT (organization, id) DO UPDATE SET ({COLUMNS}) = ROW (EXCLUDED.*)
"""  # noqa: S608 - constants
_ESTIMATE = "EXPLAIN (FORMAT JSON) SELECT FROM {table} WHERE {allowed}"
_DENSE = """
SELECT id, -(vector <#> %(vector)s::halfvec) FROM {table} WHERE {allowed}
ORDER BY {distance} LIMIT %(limit)s
"""
_LEXICAL = """
SELECT id, -(terms <#> %(terms)s::sparsevec) AS score FROM {table}
WHERE {allowed} AND {holding} ORDER BY score DESC, id LIMIT %(limit)s
"""
_HOLDING = f"{TERM_IDS} @@ %(holding)s::tsquery"
_HOLDING_ANY = "term_ids && %(term_ids)s::int[]"
_OWN = (
    "organization = %(organization)s AND repository = %(repository)s "
    "AND (%(ids)s::uuid[] IS NULL OR id = ANY(%(ids)s))"
)


def stage_sql(embedder: EmbedderSpec) -> sql.Composed:
    """Create a temporary table like the embedder's, dropped at commit."""
    return sql.SQL(_STAGE).format(table=table(embedder))


def merge_sql(embedder: EmbedderSpec) -> sql.Composed:
    """Insert or replace the staged points; of an id that was staged twice, either."""
    return sql.SQL(_MERGE).format(table=table(embedder))


def allowed(wanted: PointFilter, *, narrow: bool) -> sql.SQL:
    """Return the filter's condition; `narrow`: few points match, so use the repository index."""
    repository = "repository" if narrow else "repository + 0"
    conditions = [f"organization = %(organization)s AND {repository} = ANY(%(repositories)s)"]
    if wanted.languages:
        conditions.append("language = ANY(%(languages)s)")
    if wanted.types:
        conditions.append("type = ANY(%(types)s)")
    if normalized_prefix(wanted.path):
        conditions.append("dirs @> %(prefix)s")
    if wanted.files:
        conditions.append("dirs && %(files)s::text[]")
    return sql.SQL(" AND ".join(conditions))


def estimate(embedder: EmbedderSpec, allowed: sql.SQL) -> sql.Composed:
    """Select the planner's estimate (EXPLAIN's document) of the number of matching points."""
    return sql.SQL(_ESTIMATE).format(table=table(embedder), allowed=allowed)


def dense(embedder: EmbedderSpec, allowed: sql.SQL, *, exact: bool) -> sql.Composed:
    """Select (id, cosine) of the nearest points: vectors are of unit length or zero."""
    distance = "vector <#> %(vector)s::halfvec"
    if exact:
        distance = f"({distance}) + 0"  # an expression that the index cannot serve
    return sql.SQL(_DENSE).format(
        table=table(embedder), allowed=allowed, distance=sql.SQL(distance)
    )


def lexical(embedder: EmbedderSpec, allowed: sql.SQL, *, by_index: bool) -> sql.Composed:
    """Select (id, weighted term sum) of the best points: by the tsquery %(holding)s or a scan."""
    holding = sql.SQL(_HOLDING if by_index else _HOLDING_ANY)
    return sql.SQL(_LEXICAL).format(table=table(embedder), allowed=allowed, holding=holding)


def select(what: str, embedder: EmbedderSpec) -> sql.Composed:
    """Select `what` of a repository's points with %(ids)s, or of all if that is null."""
    statement = f"SELECT {what} FROM {{table}} WHERE {_OWN}"  # noqa: S608 - constants
    return sql.SQL(statement).format(table=table(embedder))


def delete(embedder: EmbedderSpec) -> sql.Composed:
    """Delete a repository's points with %(ids)s, or all if that is null."""
    statement = f"DELETE FROM {{table}} WHERE {_OWN}"  # noqa: S608 - constants
    return sql.SQL(statement).format(table=table(embedder))


def row(collection: Collection, point: Point) -> tuple[object, ...]:
    """Return a point as a row for COPY."""
    return (
        *(collection.organization, point.id, collection.repository, point.run),
        *(point.language, point.type, path_prefixes(point.path)),
        *(_halfvec(point.vector), point.terms.ids.tolist(), _sparsevec(point.terms)),
    )


def vector_text(vector: Vector) -> str:
    """Format a query's vector as halfvec input."""
    return str(vector.tolist())


def terms_text(weights: TermWeights) -> str:
    """Format a query's terms as sparsevec input."""
    pairs = ",".join(f"{term}:{weight}" for term, weight in sorted(weights))
    return f"{{{pairs}}}/{TERM_DIMENSIONS}"


def filter_parameters(wanted: PointFilter) -> dict[str, object]:
    """Return the filter's parameters for `estimate`, `dense` and `lexical`."""
    return {
        "languages": list(wanted.languages),
        "types": list(wanted.types),
        "prefix": [normalized_prefix(wanted.path)],
        "files": list(wanted.files),
    }


def _halfvec(vector: Vector) -> bytes:
    # halfvec_recv: dimensions and an unused word as int16, then float16, all big-endian.
    return struct.pack(">hh", len(vector), 0) + vector.astype(">f2").tobytes()


def _sparsevec(terms: TermVector) -> bytes:
    # sparsevec_recv: dimensions, count, unused as int32, then indices from 0, then float32 values;
    # a zero value is refused.
    kept = terms.weights != 0
    head = struct.pack(">iii", TERM_DIMENSIONS, int(kept.sum()), 0)
    indices: bytes = (terms.ids[kept] - np.uint32(1)).astype(">i4").tobytes()
    values: bytes = terms.weights[kept].astype(">f4").tobytes()
    return head + indices + values
