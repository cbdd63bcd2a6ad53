"""An untrusted DuckDB file, opened read-only.

The file is attached to an empty database, so that its macros and views cannot replace DuckDB's
functions or tables. Then DuckDB is locked: it opens no other file, loads no extension and accepts
no settings. The file is closed after each answer, because a reader keeps ChunkHound from writing.
"""

import os
import stat
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aeterna_code_search.integrations.chunkhound.errors import (
    DatabaseError,
    DatabaseLockedError,
    DatabaseOutsideError,
    DatabaseTimeoutError,
    NotIndexedError,
    NotInstalledError,
)
from aeterna_code_search.integrations.chunkhound.records import Target
from indexer.output.terminal import foreign_line

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

CHUNKHOUND_DATABASE_SECONDS: Final = 30.0
CHUNKHOUND_DATABASE_BYTES: Final = 1_073_741_824  # of memory; the file may be larger
Rows = list[tuple[Any, ...]]

THREADS: Final = min(4, os.cpu_count() or 1)

_SETTINGS: Final = {
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": f"{CHUNKHOUND_DATABASE_BYTES // 1024**2}MiB",
    "temp_directory": "",  # no temporary files
    "threads": str(THREADS),
}
_LOCKDOWN: Final = (
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
_LOCKED: Final = ("could not set lock", "conflicting lock", "already attached", "already open")
_MESSAGE_CHARACTERS: Final = 200


class Database:
    """An open file, with the tables `project.main.*`."""

    def __init__(self, connection: "DuckDBPyConnection") -> None:
        self._connection = connection
        self._cursors: list[DuckDBPyConnection] = []
        self._is_expired = threading.Event()

    @property
    def is_expired(self) -> bool:
        """Whether it was interrupted."""
        return self._is_expired.is_set()

    def interrupt(self) -> None:
        """Interrupt running queries and reject further ones."""
        self._is_expired.set()
        for connection in (self._connection, *self._cursors):
            connection.interrupt()

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> Rows:
        """Return all rows of a trusted query. Raises what `open_database` maps."""
        return self._run(self._connection, sql, parameters)

    def parallel_rows(self, queries: Sequence[tuple[str, Sequence[object]]]) -> Rows:
        """Return all rows of several queries, which run concurrently."""
        cursors = [self._connection.cursor() for _ in queries]
        self._cursors += cursors
        with ThreadPoolExecutor(len(queries)) as threads:
            results = threads.map(self._run, cursors, *zip(*queries, strict=True))
            return [row for rows in results for row in rows]

    def close(self) -> None:
        """Close the cursors of `parallel_rows`; the owner closes the connection."""
        for cursor in self._cursors:
            cursor.close()

    def _run(
        self, connection: "DuckDBPyConnection", sql: str, parameters: Sequence[object]
    ) -> Rows:
        from duckdb import InterruptException

        if self.is_expired:
            raise InterruptException("out of time")
        return connection.execute(sql, list(parameters)).fetchall()

    def columns(self) -> dict[str, dict[str, str]]:
        """Return table → column → type of base tables, without views."""
        tables: dict[str, dict[str, str]] = {}
        for table, column, kind in self.rows(
            "SELECT t.table_name, c.column_name, c.data_type FROM duckdb_tables() AS t "
            "JOIN duckdb_columns() AS c USING (database_name, schema_name, table_name) "
            "WHERE t.database_name = 'project' AND t.schema_name = 'main' "
            "ORDER BY t.table_name, c.column_index LIMIT 10000"
        ):
            tables.setdefault(table, {})[column] = kind
        return tables


@contextmanager
def open_database(target: Target) -> Iterator[Database]:
    """Open the database of a project for one answer; errors of DuckDB in the block are mapped.

    Raises NotIndexedError if there is no file, and DatabaseError with its subclasses.
    """
    try:
        import duckdb
    except ImportError as exc:
        raise NotInstalledError("duckdb") from exc
    path = database_file(target)
    with duckdb.connect(":memory:", config=dict(_SETTINGS)) as connection:
        database = Database(connection)
        timer = threading.Timer(CHUNKHOUND_DATABASE_SECONDS, database.interrupt)
        timer.daemon = True
        timer.start()
        try:
            quoted = str(path).replace("'", "''")
            database.rows(f"ATTACH '{quoted}' AS project (READ_ONLY, TYPE duckdb)")
            for statement in _LOCKDOWN:
                database.rows(statement)
            yield database
        except (duckdb.Error, UnicodeError, OverflowError) as exc:
            raise _translate(exc, target, is_expired=database.is_expired) from exc
        finally:
            timer.cancel()
            database.close()


def database_file(target: Target) -> Path:
    """Return the path of the regular file to open, with symbolic links resolved.

    A link out of the project is followed only if the caller named the database. Raises
    NotIndexedError, DatabaseOutsideError, DatabaseError.
    """
    try:
        path = target.database.resolve(strict=True)
        root = target.root.resolve(strict=True)
        is_regular = stat.S_ISREG(path.stat().st_mode) and not _is_special(f"{path}.wal")
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise NotIndexedError(target.root, target.database, is_explicit=target.is_explicit) from exc
    except (OSError, RuntimeError, ValueError) as exc:  # for example a loop of links
        raise DatabaseError(f"The database cannot be reached: {target.database}") from exc
    if not target.is_explicit and not path.is_relative_to(root):
        raise DatabaseOutsideError(
            f"{target.database} is a link out of the project, to {path}. Name that database "
            "with db if you trust it."
        )
    if not is_regular:
        raise DatabaseError(f"The database is not a regular file: {target.database}")
    return path


def _is_special(path: str) -> bool:
    """Whether DuckDB's log of the file is not a regular file, so that reading it may block."""
    try:
        return not stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def _translate(error: Exception, target: Target, *, is_expired: bool) -> DatabaseError:
    text = str(error)
    if is_expired:
        return DatabaseTimeoutError(
            f"{target.database} did not answer within {CHUNKHOUND_DATABASE_SECONDS:.0f} seconds. "
            "Try again when the machine is less busy, or index a smaller directory."
        )
    if any(sign in text.lower() for sign in _LOCKED):
        return DatabaseLockedError(
            f"Another process has locked {target.database}. Wait for `chunkhound index`, or end "
            "`chunkhound mcp`, which keeps the database open."
        )
    reason = foreign_line(text.strip().partition("\n")[0], _MESSAGE_CHARACTERS)
    return DatabaseError(
        f"{target.database} cannot be read: {reason}\n"
        f"If it is a ChunkHound database, index again. Run: chunkhound index {target.root}"
    )
