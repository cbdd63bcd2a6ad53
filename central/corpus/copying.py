"""Rows into tables by COPY in PostgreSQL's binary format. Needs a transaction."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

Row = tuple[Any, ...]


def copy_rows(table: str, columns: Mapping[str, str], rows: Sequence[Row]) -> None:
    """Write `rows`, whose values stand in the order of `columns` (name → type).

    Bytes and UUIDs travel as they are. Raises Django's database errors.
    """
    if not rows:
        return
    names = ", ".join(f'"{name}"' for name in columns)  # "column" is a reserved word
    statement = f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"
    with (
        connection.wrap_database_errors,  # Django's cursor does so for `execute` only
        connection.cursor() as cursor,
        cursor.copy(statement) as copy,
    ):
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)


def new_ids(table: str, count: int) -> list[int]:
    """The next `count` ids of a table, for rows that others are to point at."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [table, count],
        )
        return [row[0] for row in cursor.fetchall()]
