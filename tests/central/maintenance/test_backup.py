"""What a backup holds, and where it is not restored to. The drill is tests/e2e/test_backup.py."""

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from central.commands import Lines
from central.errors import ConflictError, ServiceError
from central.maintenance.backup import restore_archive
from central.runtime.postgres import client_program

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive(tmp_path: Path, vectors: None) -> Path:
    file = tmp_path / "monday.dump"
    call_command("backup", str(file), stdout=io.StringIO())
    return file


@pytest.fixture
def vectors() -> Iterator[None]:
    """A table where the pgvector store has its own; committed, so that others see it."""
    connection.ensure_connection()
    info = connection.connection.info
    with psycopg.connect(info.dsn, password=info.password, autocommit=True) as other:
        other.execute("CREATE SCHEMA IF NOT EXISTS codesearch")
        other.execute("CREATE TABLE codesearch.of_this_test ()")
        yield
        other.execute("DROP TABLE codesearch.of_this_test")


def test_backup_holds_the_tables_but_no_vectors_of_the_store(archive: Path) -> None:
    listing = subprocess.run(
        [client_program("pg_restore"), "--list", archive], capture_output=True, check=True
    ).stdout.decode()
    assert " TABLE DATA public tenancy_organization " in listing
    assert " TABLE DATA public corpus_embedding " in listing
    assert "codesearch" not in listing
    assert "EXTENSION" not in listing


def test_backup_is_its_owners_alone_and_replaces_nothing(archive: Path) -> None:
    assert archive.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", str(archive))
    assert list(archive.parent.iterdir()) == [archive]


def test_nothing_is_restored_over_tables(archive: Path) -> None:
    with (
        archive.open("rb") as file,
        pytest.raises(ConflictError, match="not empty") as caught,
    ):
        restore_archive(file, Lines(io.StringIO()))
    assert caught.value.code == "database_not_empty"


def test_what_is_no_backup_is_refused_in_postgresqls_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "letter.dump"
    file.write_text("Dear Ada")
    monkeypatch.setattr(connection.introspection, "table_names", list)
    with file.open("rb") as source, pytest.raises(ServiceError, match="valid archive"):
        restore_archive(source, Lines(io.StringIO()))
