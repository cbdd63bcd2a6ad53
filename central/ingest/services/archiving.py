"""The whole database as one archive of pg_dump, and back.

What the vector store holds is left out, in the service's own database too: it is made again from
the rest (decision 0001). So is SECRET_KEY, which lies beside the database, not in it.
"""

import subprocess
from typing import IO

from django.core.management import call_command
from django.db import connection
from psycopg import pq

from central.common.errors import ConflictError, ServiceError
from central.corpus.vectors import vector_store
from central.ingest.services.migrating import MigratedRepository, Migration, Progress
from central.postgres import client_program
from central.tenancy import audit

# The schema of the pgvector store (indexer.store.pgvector), which makes both again.
_DERIVED = ("--exclude-schema=codesearch", "--exclude-extension=vector")
_ARCHIVE = ("--format=custom", "--compress=gzip:1", "--no-owner", "--no-privileges")
_AT_ONCE = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")


def write_archive(file: IO[bytes]) -> None:
    """Write the database as it is at this moment; whatever runs goes on. Raises ServiceError."""
    _run("pg_dump", *_ARCHIVE, *_DERIVED, output=file)


def restore_archive(file: IO[bytes], progress: Progress) -> list[MigratedRepository]:
    """Fill an empty database, wholly or not at all, then the vector store from it.

    The vectors may be interrupted: `manage.py migrate_vectors` goes on with them. Raises
    ConflictError where there are tables, ServiceError, StoreError.
    """
    if connection.introspection.table_names():
        raise ConflictError(
            "The database is not empty. Restore into a new one: set AETERNA_DATA_DIR to a new "
            "directory, or DATABASE_URL to a new database.",
            code="database_not_empty",
        )
    database = connection.settings_dict["NAME"] or "postgres"
    _run("pg_restore", *_AT_ONCE, f"--dbname={database}", source=file)
    call_command("migrate", verbosity=0)  # of an older version's archive
    audit.record(actor=audit.COMMAND, action="backup.restored", target="the whole database")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # an archive has no statistics, and queries are planned by them
    return Migration(vector_store(), None, progress).run()


def _run(
    name: str, *arguments: str, source: IO[bytes] | None = None, output: IO[bytes] | None = None
) -> None:
    done = subprocess.run(  # noqa: S603 - our own programs and options
        [client_program(name), *arguments],
        env=_connection_variables(),
        stdin=source or subprocess.DEVNULL,
        stdout=output or subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip()[-1500:]
        raise ServiceError(f"{name} failed:\n{words}", code="archive_failed")


def _connection_variables() -> dict[str, str]:
    """Where the service's own connection goes, as libpq's variables: a password is in no argv."""
    connection.ensure_connection()
    info = connection.connection.info
    given = {**info.get_parameters(), "password": info.password}
    options = {option.keyword: option.envvar for option in pq.Conninfo.get_defaults()}
    return {
        variable.decode(): str(given[name.decode()])
        for name, variable in options.items()
        if variable and given.get(name.decode())
    }
