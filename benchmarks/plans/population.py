"""A skewed data set: one large repository, and some hundred that hold a few of its files each."""

from typing import Any

import psycopg

LARGE = "large"
TINY = 400  # a quarter of them another organisation's
FILES = 3  # of each

_TINY = """INSERT INTO repositories_repository (name, organization_id, {columns})
    SELECT 'tiny-' || n, CASE WHEN n % 4 = 0 THEN other ELSE r.organization_id END, {columns}
    FROM repositories_repository r, generate_series(1, {tiny}) AS n,
        (SELECT id AS other FROM tenancy_organization WHERE slug = 'other') AS other
    WHERE r.name = 'large'"""
_FILES = """INSERT INTO corpus_file (repository_id, {columns})
    SELECT tiny.tiny, {columns} FROM (
        SELECT f.*, row_number() OVER (ORDER BY md5(f.path)) AS place FROM corpus_file f
        JOIN repositories_repository r ON r.id = f.repository_id WHERE r.name = 'large') AS f
    JOIN (SELECT id AS tiny, name AS called FROM repositories_repository) AS tiny
        ON called = 'tiny-' || (1 + f.place % {tiny})
    WHERE f.place <= {tiny} * {files}"""
_COPIES = """CREATE TEMPORARY TABLE copied AS
    SELECT old.id AS old, new.id AS new, new.repository_id AS repository
    FROM corpus_file new JOIN repositories_repository t ON t.id = new.repository_id
    JOIN repositories_repository r ON r.name = 'large'
    JOIN corpus_file old ON old.repository_id = r.id AND old.path = new.path
    WHERE t.name LIKE 'tiny-%'"""
_ROWS = """INSERT INTO {table} (repository_id, file_id, {columns})
    SELECT copied.repository, copied.new, {values}
    FROM {table} JOIN copied ON copied.old = {table}.file_id"""
_COUNT = """UPDATE repositories_repository r SET chunks =
    (SELECT count(*) FROM corpus_chunk c WHERE c.repository_id = r.id)"""
# What is written anew in a copy: a point stands for one chunk, packages are a repository's own.
_ANEW = {"point": "gen_random_uuid()", "package_id": "NULL"}
_OF_FILES = ("chunk", "symbol", "import", "export", "reference", "module")


def make_skewed(database: "psycopg.Connection[Any]") -> None:
    """Add the tiny repositories to a database that holds the large one of acme; analyze it."""
    made = {"id", "name", "github_id", "organization_id"}
    columns = _columns(database, "repositories_repository", made)
    database.execute(_TINY.format(columns=", ".join(columns), tiny=TINY))
    columns = _columns(database, "corpus_file", {"id", "repository_id", "package_id"})
    database.execute(_FILES.format(columns=", ".join(columns), tiny=TINY, files=FILES))
    database.execute(_COPIES)
    for name in _OF_FILES:
        table = f"corpus_{name}"
        columns = _columns(database, table, {"id", "repository_id", "file_id"})
        values = (_ANEW.get(column.strip('"'), f"{table}.{column}") for column in columns)
        database.execute(
            _ROWS.format(table=table, columns=", ".join(columns), values=", ".join(values))
        )
    database.execute(_COUNT)
    database.execute("VACUUM ANALYZE")


def forget_statistics(database: "psycopg.Connection[Any]") -> None:
    """Leave the planner as it is right after a first index, before autovacuum has looked."""
    database.execute("ALTER SYSTEM SET autovacuum = off")
    database.execute("SELECT pg_reload_conf()")
    database.execute(
        "DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace)"
    )
    database.execute(
        "UPDATE pg_class SET reltuples = -1, relpages = 0, relallvisible = 0"
        " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')"
    )


def _columns(database: "psycopg.Connection[Any]", table: str, without: set[str]) -> list[str]:
    rows = database.execute(
        "SELECT column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name = %s ORDER BY ordinal_position",
        [table],
    )
    return [f'"{name}"' for (name,) in rows if name not in without]
