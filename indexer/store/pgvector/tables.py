"""The pgvector store's tables: one per embedder, partitioned by organisation."""

import hashlib

import psycopg
from psycopg import sql

from indexer.records.vectors import EmbedderSpec
from indexer.store.schema import embedder_key

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
