"""The rows of an archive in an empty database, whose tables our own migrations create.

The tables are as the archive's version had them; newer migrations follow.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final

import psycopg
from django.conf import settings
from django.db import Error, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.graph import MigrationGraph
from psycopg import sql

from central.corpus.branches import tables as branches
from central.errors import InvalidError, UnavailableError
from central.maintenance.archive_script import (
    Migrations,
    Rows,
    SequenceValue,
    read_script,
    refused,
)
from central.runtime.data_directory import disk_space_error

BACKUP_SPACE_CHECK_BYTES: Final = 4_194_304  # written between checks of the free space
_MIGRATIONS: Final = "django_migrations"

_FOREIGN_KEYS: Final = """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace"""
# Indexes of constraints stay: they keep rows unique.
_INDEXES: Final = """SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
    JOIN pg_class ON pg_class.oid = indexrelid AND relnamespace = 'public'::regnamespace
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"""
_SEQUENCES: Final = "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'"


def make_tables(migrations: Migrations) -> None:
    """Create the tables of `migrations`. Raises InvalidError if one of them is unknown here."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    if unknown := sorted(migrations - graph.nodes.keys()):
        app, name = unknown[0]
        raise InvalidError(
            f"The backup is of another version or configuration: {app}.{name[:100]} is not known "
            "here. Nothing was changed. Install the version that made it or a newer one, and set "
            "single sign-on (AETERNA_SSO_…) as it was.",
            code="archive_of_another_version",
        )
    executor.migrate([node for node in sorted(migrations) if _is_last(node, migrations, graph)])
    branches.make_tables()


def _is_last(node: tuple[str, str], migrations: Migrations, graph: MigrationGraph) -> bool:
    """Whether it is the last of `migrations` in its app."""
    children = graph.node_map[node].children
    return not any(child.key in migrations and child.key[0] == node[0] for child in children)


def load(script: IO[bytes], finish: Callable[[], object]) -> None:
    """Fill all tables or none; `finish` raises if the script was incomplete.

    Raises InvalidError, UnavailableError.
    """
    with transaction.atomic(), _as_refusals(), _bare_tables():
        _fill(script)
        finish()


def drop_tables() -> None:
    """Drop all tables, unless another process has filled them since."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        if names and not any(_has_rows(name) for name in names if name != _MIGRATIONS):
            tables = sql.SQL(", ").join(map(sql.Identifier, names))
            cursor.execute(sql.SQL("DROP TABLE {} CASCADE").format(tables))
            branches.drop_tables()


def _has_rows(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(table)))
        [found] = cursor.fetchone() or [False]
        return bool(found)


def _fill(script: IO[bytes]) -> None:
    with connection.cursor() as cursor:
        missing = set(connection.introspection.table_names(cursor)) - {_MIGRATIONS}
        missing |= set(branches.table_names())
        cursor.execute(_SEQUENCES)
        sequences = {name for (name,) in cursor.fetchall()}
    for item in read_script(script):
        if isinstance(item, SequenceValue):
            _set_value(item, sequences)
        elif item.table in missing:
            missing.remove(item.table)
            _copy(item)
        elif item.table != _MIGRATIONS:
            raise refused(f"it holds a table {item.table} that its version does not have")
    if missing:
        raise refused(f"it lacks the rows of {min(missing)}")


def _set_value(item: SequenceValue, sequences: set[str]) -> None:
    if item.sequence not in sequences:
        raise refused(f"it holds a sequence {item.sequence} that its version does not have")
    with connection.cursor() as cursor:
        name = f'public."{item.sequence}"'
        cursor.execute("SELECT setval(%s::regclass, %s, %s)", [name, item.value, item.is_called])


def _copy(rows: Rows) -> None:
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(*("public", *rows.table.split("."))[-2:]),
        sql.SQL(", ").join(map(sql.Identifier, rows.columns)),
    )
    unasked = 0
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for part in rows.parts:
            copy.write(part)
            unasked += len(part)
            if unasked >= BACKUP_SPACE_CHECK_BYTES:
                unasked = 0
                if settings.DATABASE_IS_EMBEDDED and (lack := disk_space_error(settings.DATA_DIR)):
                    raise UnavailableError(f"{lack} Nothing was changed.", code="disk_full")


@contextmanager
def _bare_tables() -> Iterator[None]:
    """Drop foreign keys and indexes inside; creating them at the end costs far less."""
    with connection.cursor() as cursor:
        cursor.execute(_FOREIGN_KEYS)
        keys = cursor.fetchall()
        cursor.execute(_INDEXES)
        indexes = cursor.fetchall()
        for table, name, _ in keys:
            cursor.execute(_alter(table, "DROP CONSTRAINT {}", name))
        for name, _ in indexes:
            cursor.execute(sql.SQL("DROP INDEX ") + sql.SQL(name))
        yield
        for _, definition in indexes:
            cursor.execute(sql.SQL(definition))
        for table, name, definition in keys:
            cursor.execute(_alter(table, "ADD CONSTRAINT {} ", name) + sql.SQL(definition))


def _alter(table: str, change: str, name: str) -> sql.Composed:
    return sql.SQL(f"ALTER TABLE {table} {change}").format(sql.Identifier(name))


@contextmanager
def _as_refusals() -> Iterator[None]:
    """Translate PostgreSQL's errors about the rows to refusals."""
    try:
        yield
    except (Error, psycopg.Error) as exc:
        cause = exc if isinstance(exc, psycopg.Error) else exc.__cause__
        told = cause.diag.message_primary if isinstance(cause, psycopg.Error) else None
        if isinstance(cause, psycopg.OperationalError) or told is None:
            raise
        raise refused(f"PostgreSQL says of its rows: {told[:200]}") from exc
