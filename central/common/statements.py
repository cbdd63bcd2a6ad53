"""Statements of our own on Django's connection, for what every search asks.

Most are prepared: planning `= ANY` of hundreds of values takes several times as long as finding
them (5 ms against 1 ms), and so does composing a query of the ORM. Needs `prepare_threshold` in
OPTIONS. One whose best plan depends on its values is planned each time (decision 31).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor


def fetch_rows(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """All rows of a statement that is prepared once per connection.

    Parameters are bound by the server: cast those whose type the statement does not tell. Values
    come in PostgreSQL's binary format, so bytea is `bytes`. Raises Django's database errors.
    """
    with _cursor(_PreparedCursor) as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def fetch_rows_planned_each_time(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """As `fetch_rows`, with a plan for these parameters: for names and words, frequent or rare."""
    with _cursor(_PlannedCursor) as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def execute(sql: str, parameters: Sequence[Any]) -> None:
    """As `fetch_rows`, of a statement without rows: bytes travel as they are, not in its text."""
    with _cursor(_PreparedCursor) as cursor:
        cursor.execute(sql, parameters)


def id_array(ids: Iterable[int]) -> str:
    """Ids as the text of a parameter that the statement casts to bigint[].

    A list of numbers below 32,768 is a smallint[] to psycopg, which a prepared statement casts anew
    for each row that it looks at: with 10,000 ids 60 ms of PostgreSQL, against half a millisecond.
    """
    return f"{{{','.join(map(str, ids))}}}"


@contextmanager
def one_moment() -> Iterator[None]:
    """What is read inside is of one moment; inside of a transaction, of that one's moments."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


class _PreparedCursor(Cursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **_: Any) -> "_PreparedCursor":
        return super().execute(query, params, prepare=True, binary=True)


class _PlannedCursor(Cursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **_: Any) -> "_PlannedCursor":
        return super().execute(query, params, prepare=False, binary=True)


def _cursor(kind: type[Cursor[tuple[Any, ...]]]) -> CursorWrapper:
    connection.ensure_connection()
    make = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    cursor: Any = kind(connection.connection)
    return make(cursor)
