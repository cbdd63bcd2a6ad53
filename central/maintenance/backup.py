"""Backup of the whole database to an archive of pg_dump, and its restore.

Vectors are left out, in the service's own database too: they are rebuilt from the rest (decision
0001). So is SECRET_KEY, which is not in the database.
"""

import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final, cast

from django.core.management import call_command
from django.db import connection
from psycopg import pq

from central.corpus.backends import vector_store
from central.errors import ConflictError, InvalidError, ServiceError
from central.maintenance.archive_rows import drop_tables, load, make_tables
from central.maintenance.archive_script import read_migrations
from central.maintenance.vector_migration import MigratedRepository, Migration, Progress
from central.runtime.postgres import client_program
from central.tenancy import audit
from indexer.output.terminal import escape_text
from indexer.process_group import read_end

BACKUP_READER_BYTES: Final = 1_073_741_824  # of memory, of the program that unpacks one
# The schema of the pgvector store (indexer.store.pgvector), which makes both again.
_DERIVED = ("--exclude-schema=codesearch", "--exclude-extension=vector")
_ARCHIVE = ("--format=custom", "--compress=gzip:1", "--no-owner", "--no-privileges")
_WORDS_BYTES = 1_500  # of an error: its end
_AS_SCRIPT = ("--format=custom", "--data-only", "--no-owner", "--no-privileges", "--file=-")


def write_archive(file: IO[bytes]) -> None:
    """Write the database as of this moment, beside the service. Raises ServiceError."""
    with tempfile.TemporaryFile() as words:
        done = subprocess.run(  # noqa: S603 - our own program and options
            [client_program("pg_dump"), *_ARCHIVE, *_DERIVED],
            env=_connection_variables(),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=words,
            check=False,
        )
        if done.returncode:
            raise ServiceError(f"pg_dump failed:\n{_end(words)}", code="archive_failed")


def restore_archive(file: IO[bytes], progress: Progress) -> list[MigratedRepository]:
    """Fill an empty database completely or not at all, then the vector store.

    `file` is read twice; only its rows are trusted. `manage.py migrate_vectors` continues with the
    vectors after an interruption. Raises ConflictError if the database has tables, InvalidError,
    ServiceError, StoreError.
    """
    if connection.introspection.table_names():
        raise ConflictError(
            "The database is not empty. Restore into a new one: set AETERNA_DATA_DIR to a new "
            "directory, or DATABASE_URL to a new database.",
            code="database_not_empty",
        )
    with _script(file) as (script, finish):  # all of it, before anything is changed
        migrations = read_migrations(script)
        finish()
    try:
        make_tables(migrations)
        with _script(file) as (script, finish):
            load(script, finish)
    except BaseException:
        drop_tables()
        raise
    call_command("migrate", verbosity=0)  # of an older version's archive
    audit.record(actor=audit.COMMAND, action="backup.restored", target="the whole database")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # an archive has no statistics, and queries are planned by them
    return Migration(vector_store(), None, progress).run()


@contextmanager
def _script(file: IO[bytes]) -> Iterator[tuple[IO[bytes], Callable[[], None]]]:
    """Open the archive as SQL; the second member raises ServiceError if it was broken."""
    file.seek(0)
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(  # noqa: S603 - our own program and options
            [client_program("pg_restore"), *_AS_SCRIPT],
            env={},
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=words,
        )
        if hasattr(resource, "prlimit"):  # an archive determines the memory it takes
            limit = (BACKUP_READER_BYTES, BACKUP_READER_BYTES)
            resource.prlimit(process.pid, resource.RLIMIT_AS, limit)

        script = cast("IO[bytes]", process.stdout)

        def finish() -> None:
            if process.wait():
                raise _unreadable(words)

        try:
            try:
                yield script, finish
            except InvalidError:
                script.close()  # which ends it, unless it failed before
                if process.wait() > 0:
                    finish()  # whose error then explains the incomplete script
                raise
        finally:
            process.kill()
            process.wait()
            script.close()


def _unreadable(words: IO[bytes]) -> ServiceError:
    return ServiceError(
        "The file is no valid archive of `manage.py backup`, or not all of one. Nothing was "
        f"changed. Copy it once more, or take another. pg_restore says:\n{_end(words)}",
        code="archive_failed",
    )


def _end(words: IO[bytes]) -> str:
    return escape_text(read_end(words, _WORDS_BYTES).decode(errors="replace").strip())


def _connection_variables() -> dict[str, str]:
    """Return libpq's variables of the service's connection: no password is in an argv."""
    connection.ensure_connection()
    info = connection.connection.info
    given = {**info.get_parameters(), "password": info.password}
    options = {option.keyword: option.envvar for option in pq.Conninfo.get_defaults()}
    return {
        variable.decode(): str(given[name.decode()])
        for name, variable in options.items()
        if variable and given.get(name.decode())
    }
