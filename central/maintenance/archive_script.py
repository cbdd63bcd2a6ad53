"""The output of `pg_restore`, read as data: none of its SQL is ever executed.

An archive may hold any statement under any name, and PostgreSQL would run it as the owner of the
database, programs of the machine included. Only rows and the values of sequences are taken.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from central.corpus.branches.tables import OTHERS
from central.errors import InvalidError

BACKUP_STATEMENT_BYTES: Final = 65_536
BACKUP_MIGRATIONS: Final = 10_000
Migrations = set[tuple[str, str]]  # app, name

_NAME: Final = r'(?:[a-z_][a-z0-9_]*|"[A-Za-z_][A-Za-z0-9_]*")'
_SCHEMA: Final = "public"
_COPY: Final = re.compile(
    rf"COPY ({_SCHEMA}|{OTHERS})\.({_NAME}) \(({_NAME}(?:, {_NAME})*)\) FROM stdin;"
)
_SET_VALUE: Final = re.compile(
    rf"SELECT pg_catalog\.setval\('public\.({_NAME})', ([0-9]{{1,19}}), (true|false)\);"
)
# Statements of pg_restore itself and comments. They are skipped, not executed.
_OF_ITSELF: Final = re.compile(
    r"--.*|SET client_encoding = 'UTF8';|SET (?!client_encoding)[a-z_]+ = ['a-z0-9]+;|"
    r"SELECT pg_catalog\.set_config\('search_path', '', false\);|\\(?:un)?restrict [A-Za-z0-9]+|"
)
_END: Final = b"\\.\n"
_MIGRATIONS: Final = "django_migrations"


@dataclass(frozen=True)
class Rows:
    """The rows of a table in COPY's text format; read the parts before the next item.

    `table` begins with its schema, if that is the one of what only other branches have.
    """

    table: str
    columns: tuple[str, ...]
    parts: Iterator[bytes]


@dataclass(frozen=True)
class SequenceValue:
    """The value of a sequence."""

    sequence: str
    value: int
    is_called: bool


def read_script(script: IO[bytes]) -> Iterator[Rows | SequenceValue]:
    """Yield rows and sequence values in order. Raises InvalidError for anything else."""
    seen: set[str] = set()
    while line := script.readline(BACKUP_STATEMENT_BYTES):
        statement = _statement(line)
        if copied := _COPY.fullmatch(statement):
            table = copied[2].strip('"')
            if copied[1] != _SCHEMA:
                table = f"{copied[1]}.{table}"
            if table in seen:
                raise refused(f"it holds the rows of {table} twice")
            seen.add(table)
            columns = tuple(name.strip('"') for name in copied[3].split(", "))
            parts = _parts(script)
            yield Rows(table, columns, parts)
            for _ in parts:
                pass
        elif valued := _SET_VALUE.fullmatch(statement):
            yield SequenceValue(valued[1].strip('"'), int(valued[2]), valued[3] == "true")
        elif not _OF_ITSELF.fullmatch(statement):
            raise refused(f"it holds what no backup of this service holds: {statement[:80]!r}")


def read_migrations(script: IO[bytes]) -> Migrations:
    """Read the whole script; returns the migrations of its tables. Raises InvalidError."""
    found: Migrations = set()
    for item in read_script(script):
        if isinstance(item, Rows) and item.table == _MIGRATIONS:
            for row in item.parts:
                found.add(_migration(item.columns, row))
                if len(found) > BACKUP_MIGRATIONS:
                    raise refused(f"it holds more than {BACKUP_MIGRATIONS} migrations")
    if not found:
        raise refused("it does not say which migrations made its tables")
    return found


def refused(why: str) -> InvalidError:
    """Return the error for an archive that this service did not write."""
    return InvalidError(
        f"This is no backup of this service: {why}. Nothing was changed. Take a file that "
        "`manage.py backup` wrote, from a place that no other user can write to.",
        code="archive_refused",
    )


def _statement(line: bytes) -> str:
    if not line.endswith(b"\n"):
        raise refused("it ends within a statement, or has one that is too long")
    try:
        return line[:-1].decode()
    except UnicodeDecodeError as exc:
        raise refused("a statement is not UTF-8") from exc


def _parts(script: IO[bytes]) -> Iterator[bytes]:
    """Yield parts up to the end of the rows; a row may be longer than a part."""
    is_start = True
    while part := script.readline(BACKUP_STATEMENT_BYTES):
        if is_start and part == _END:
            return
        yield part
        is_start = part.endswith(b"\n")
    raise refused("it ends within the rows of a table")


def _migration(columns: tuple[str, ...], row: bytes) -> tuple[str, str]:
    values = row.rstrip(b"\n").decode(errors="replace").split("\t")
    named = dict(zip(columns, values, strict=False))
    if not {"app", "name"} <= named.keys():
        raise refused("it does not say which migrations made its tables")
    return named["app"], named["name"]
