"""SQL beside the ORM: statements and their limits, moments, and COPY."""

import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import BytesIO
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from django.db import Error, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from psycopg import Connection, Cursor, IsolationLevel
from psycopg import Copy as PsycopgCopy
from psycopg.copy import FileWriter

Part = type[Model] | str
Parameters = Sequence[Any] | Mapping[str, Any]
STATEMENTS: Final[dict[str, str]] = {}  # of all modules that are imported, each with its place
UNUSED: Final[dict[str, set[str]]] = {}  # names that `sql_with` was given, by its place
_NAME: Final = re.compile(r"\{([a-z_]+)\}")
_LENGTH: Final = re.compile(r"\(\d+\)")  # of a column's type


def sql(statement: str, **parts: Part) -> str:
    """Fill each `{name}` with the table of a model, or with a fragment that has names itself.

    Called as modules are imported: a test has PostgreSQL prepare all statements. Raises KeyError
    for a name that is not given, and for one that is not used.
    """
    unused = set(parts)
    filled = _filled(statement, parts, unused)
    if unused:
        raise KeyError(*unused)
    return filled


def sql_with(**parts: Part) -> Callable[[str], str]:
    """Make a `sql` whose statements share models and fragments; a test finds an unused one."""
    unused = UNUSED[_place()] = set(parts)
    return lambda statement: _filled(statement, parts, unused)


def _filled(statement: str, parts: Mapping[str, Part], unused: set[str]) -> str:
    def fill(found: re.Match[str]) -> str:
        part = parts[found[1]]
        unused.discard(found[1])
        return _NAME.sub(fill, part) if isinstance(part, str) else part._meta.db_table

    filled = _NAME.sub(fill, statement)
    STATEMENTS[filled] = _place()
    return filled


def table_name(model: type[Model]) -> str:
    """Return the table of a model, for the few statements that are made when they run."""
    return model._meta.db_table


def _place() -> str:
    """Module and line that is being imported."""
    return next(
        f"{frame.f_globals['__name__']}:{line}"
        for frame, line in traceback.walk_stack(sys._getframe())
        if frame.f_code.co_name == "<module>"
    )


def fetch_rows(query: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
    """All rows of a statement that is prepared once per connection.

    Parameters are bound by the server: cast those whose type the statement does not tell. Values
    come in PostgreSQL's binary format, so bytea is `bytes`. Raises Django's database errors.
    """
    with _executed(query, parameters) as cursor:
        return list(cursor.fetchall())


def fetch_rows_of_each(
    statements: Iterable[tuple[str, Parameters]],
) -> list[list[tuple[Any, ...]]]:
    """As `fetch_rows`, of several statements that are sent together, in one round trip.

    If one fails, none has rows. Raises Django's error of the first that failed.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline():
        cursors = [_executed(query, parameters) for query, parameters in statements]
    return [list(cursor.fetchall()) for cursor in cursors]  # the end of the pipeline read them


def _executed(query: str, parameters: Parameters) -> CursorWrapper:
    cursor = _cursor(_PreparedCursor)
    cursor.execute(query, parameters)
    return cursor


def fetch_rows_planned_each_time(query: str, parameters: Parameters) -> list[tuple[Any, ...]]:
    """As `fetch_rows`, with a plan for these parameters: for names and words, frequent or rare."""
    with _cursor(_PlannedCursor) as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())


def execute(query: str, parameters: Parameters = ()) -> int:
    """As `fetch_rows`, of a statement that changes rows: returns how many.

    Bytes travel as they are, not in its text.
    """
    with _cursor(_PreparedCursor) as cursor:
        cursor.execute(query, parameters)
        return int(cursor.rowcount)


def id_array(ids: Iterable[int]) -> str:
    """Ids as the text of a parameter that the statement casts to bigint[].

    A list of numbers below 32,768 is a smallint[] to psycopg, which a prepared statement casts
    again for each row: with 10,000 ids 60 ms of PostgreSQL, against half a millisecond.
    """
    return f"{{{','.join(map(str, ids))}}}"


def like_pattern(text: str) -> str:
    """Escape a text for a pattern of LIKE, in which it matches itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


@contextmanager
def one_moment() -> Iterator[None]:
    """What is read inside is of one moment; inside of a transaction, of that one's moments.

    A refusal (`NotFoundError`) ends it by COMMIT, as nothing is to be undone: psycopg forgets all
    prepared statements of a connection that it rolls back.
    """
    if connection.in_atomic_block:
        yield
        return
    raised: Exception | None = None
    with ExitStack() as stack, transaction.atomic():
        stack.enter_context(_snapshots_of(connection.connection))
        try:
            yield
        except Error:
            raise
        except Exception as exc:  # noqa: BLE001 - raised again below
            raised = exc
    if raised is not None:
        raise raised


@contextmanager
def written_from_one_moment() -> Iterator[None]:
    """A transaction that writes, and reads what was there as it began; see `one_moment`."""
    is_outermost = not connection.in_atomic_block
    with ExitStack() as stack, transaction.atomic():
        if is_outermost:
            stack.enter_context(_snapshots_of(connection.connection, read_only=None))
        yield


@contextmanager
def _snapshots_of(own: Connection[Any], *, read_only: bool | None = True) -> Iterator[None]:
    """Let each transaction see one snapshot; its BEGIN says so, without a round trip more."""
    own.isolation_level, own.read_only = IsolationLevel.REPEATABLE_READ, read_only
    try:
        yield
    finally:
        if not own.closed:  # it is the pool's
            own.isolation_level = own.read_only = None


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


@contextmanager
def statement_timeout(seconds: float) -> Iterator[None]:
    """Inside, the database ends a statement of this thread that takes longer: OperationalError."""
    _execute(f"SET statement_timeout = {round(seconds * 1000)}")
    try:
        yield
    finally:
        try:
            _execute("RESET statement_timeout")
        except Error:  # the next user must not get it with this limit
            connection.close()


def end_if_idle(seconds: float) -> None:
    """Have the database end this transaction if it gets no statement for so long."""
    _execute(f"SET LOCAL idle_in_transaction_session_timeout = {round(seconds * 1000)}")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


Row = tuple[Any, ...]

# https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS-BINARY
_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # with flags and the size of an extension
_TRAILER: Final = b"\xff\xff"


class Copy(NamedTuple):
    """A COPY of rows into a table, and the types of its columns."""

    statement: str
    types: Sequence[str]


def columns_of(model: type[Model], *, without: str = "") -> list[str]:
    """Return the columns of a model in its order, without its key."""
    fields = model._meta.concrete_fields
    return [field.attname for field in fields if not field.primary_key and field.attname != without]


def copy_into(
    model: type[Model],
    *names: str,
    schema: str = "",
    last: Mapping[str, str] = MappingProxyType({}),
) -> Copy:
    """Make the COPY that fills these columns, of the types that the model's fields have.

    Without `names`, those of `columns_of`. `schema`: of another table of its name, which may have
    columns of its own: `last` are their types by name.
    """
    names = names or tuple(columns_of(model))
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    own = {field.column: _LENGTH.sub("", str(field.db_type(connection))) for field in fields}
    columns = ", ".join(f'"{name}"' for name in (*own, *last))  # "column" is a reserved word
    into = f"{schema}.{{table}}" if schema else "{table}"
    return Copy(
        sql(f"COPY {into} ({columns}) FROM STDIN (FORMAT BINARY)", table=model),
        [*own.values(), *last.values()],
    )


def copy_rows(into: Copy, rows: Iterable[Row]) -> int:
    """Write rows whose values stand in the order of the columns; returns their number.

    Rows may be made meanwhile: PostgreSQL stores those before. Bytes and UUIDs travel as they are.
    Raises Django's database errors.
    """
    rest = iter(rows)
    first = next(rest, None)
    if first is None:
        return 0
    with _copying(into) as copy:
        return _write(into, copy, chain([first], rest))


class EncodedRows(NamedTuple):
    """Rows in the binary format of COPY, without its signature and its trailer."""

    number: int
    data: bytes


def encode_rows(into: Copy, rows: Iterable[Row]) -> EncodedRows:
    """Encode rows, whose values stand in the order of the columns, for `copy_encoded`."""
    connection.ensure_connection()
    file = BytesIO()
    with PsycopgCopy(Cursor(connection.connection), binary=True, writer=FileWriter(file)) as copy:
        count = _write(into, copy, rows)
    return EncodedRows(count, file.getvalue()[len(_SIGNATURE) : -len(_TRAILER)])


def copy_encoded(into: Copy, parts: Sequence[EncodedRows]) -> int:
    """Write what `encode_rows` encoded for the same columns, as `copy_rows` does."""
    count = sum(part.number for part in parts)
    if count:
        with _copying(into) as copy:
            copy.write(_SIGNATURE)
            for part in parts:
                copy.write(part.data)
            copy.write(_TRAILER)
    return count


@contextmanager
def _copying(into: Copy) -> Iterator[PsycopgCopy]:
    with (
        connection.wrap_database_errors,  # Django's cursor does so for `execute` only
        connection.cursor() as cursor,
        cursor.copy(into.statement) as copy,
    ):
        yield copy


def _write(into: Copy, copy: PsycopgCopy, rows: Iterable[Row]) -> int:
    copy.set_types(list(into.types))
    count = 0
    for row in rows:
        copy.write_row(row)
        count += 1
    return count


_NEW_IDS: Final = sql(
    "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s::int)"
)


def new_ids(model: type[Model], count: int) -> list[int]:
    """The next `count` ids of a table, for rows that others are to point at."""
    return [key for (key,) in fetch_rows(_NEW_IDS, [model._meta.db_table, count])]
