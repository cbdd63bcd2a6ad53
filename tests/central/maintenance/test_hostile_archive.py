"""A backup is trusted for its rows alone: no statement of it is executed, none half restored."""

import io
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker
from pytest_django import Settings as DjangoSettings

from central.commands import Lines
from central.errors import InvalidError, ServiceError
from central.maintenance import archive_rows, backup
from central.maintenance.archive_rows import load
from central.maintenance.archive_script import (
    BACKUP_MIGRATIONS,
    BACKUP_STATEMENT_BYTES,
    Rows,
    SequenceValue,
    read_migrations,
    read_script,
)
from central.maintenance.backup import restore_archive
from central.runtime.postgres import client_program
from central.tenancy.models import Organization

# --- What pg_restore writes ---------------------------------------------------------------------

HEADER = b"""--
-- PostgreSQL database dump
--

\\restrict Q2hlY2s

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET default_tablespace = '';
SELECT pg_catalog.set_config('search_path', '', false);

"""
ROWS = b'COPY public.one (id, "order") FROM stdin;\n1\ta\\\\.\n\\N\t-- b\n\\.\n'
MIGRATIONS = b"COPY public.django_migrations (id, app, name) FROM stdin;\n1\tweb\t0001\n\\.\n"


def read(script: bytes) -> list[object]:
    found: list[object] = []
    for item in read_script(io.BytesIO(script)):
        found.append(item)
        if isinstance(item, Rows):
            found[-1] = (item.table, item.columns, b"".join(item.parts))
    return found


def test_rows_and_sequences_are_read_and_nothing_else_is_there() -> None:
    script = HEADER + ROWS + b"SELECT pg_catalog.setval('public.one_id_seq', 7, true);\n"
    assert read(script) == [
        ("one", ("id", "order"), b"1\ta\\\\.\n\\N\t-- b\n"),
        SequenceValue("one_id_seq", 7, is_called=True),
    ]


def test_rows_that_are_not_read_are_no_statements() -> None:
    [rows, value] = read_script(
        io.BytesIO(ROWS + b"SELECT pg_catalog.setval('public.s', 7, true);\n")
    )
    assert isinstance(rows, Rows)
    assert isinstance(value, SequenceValue)


@pytest.mark.parametrize(
    "statement",
    [
        b"DROP TABLE public.tenancy_organization;",
        b"COPY public.one (id) FROM PROGRAM 'touch ran';",
        b"COPY public.one (id) FROM stdin; DROP TABLE public.one;",
        b'COPY public."one; DROP TABLE x" (id) FROM stdin;',
        b"COPY pg_catalog.pg_authid (rolname) FROM stdin;",
        b"COPY codesearch.points (id) FROM stdin;",
        b"SELECT pg_catalog.setval('public.s'::regclass, (SELECT 1), true);",
        b"SELECT pg_catalog.setval('public.s', 99999999999999999999, true);",
        b"SELECT pg_catalog.lo_create('1');",
        b"SET client_encoding = 'LATIN1';",
        b"SET client_encoding = utf7;",
        b"SET role = postgres; SELECT 1;",
        b"SELECT pg_catalog.set_config('search_path', 'public', false);",
        b"\\! touch ran",
        b"REFRESH MATERIALIZED VIEW public.ran;",
        b"/* */ DO $$ BEGIN END $$;",
        b"\xff",
        b"\x00",
    ],
)
def test_any_other_statement_is_refused(statement: bytes) -> None:
    with pytest.raises(InvalidError, match="Nothing was changed") as caught:
        read(HEADER + statement + b"\n")
    assert caught.value.code == "archive_refused"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (ROWS + ROWS, "twice"),
        (ROWS[:-3], "ends within the rows"),
        (ROWS[:20], "ends within a statement"),
        (b"-" * (BACKUP_STATEMENT_BYTES + 1) + b"\n", "too long"),
        (ROWS.replace(b"\\N", b"\\.\nDROP TABLE x;"), "DROP TABLE x"),
    ],
)
def test_what_is_broken_is_refused(script: bytes, why: str) -> None:
    with pytest.raises(InvalidError, match=why):
        read(script)


def test_a_row_of_any_length_is_read_in_parts() -> None:
    long = b"x" * (3 * BACKUP_STATEMENT_BYTES) + b"\\.\n"
    [rows] = read_script(io.BytesIO(b"COPY public.one (id) FROM stdin;\n" + long + b"\\.\n"))
    assert isinstance(rows, Rows)


def test_migrations_are_found_and_bounded() -> None:
    assert read_migrations(io.BytesIO(ROWS + MIGRATIONS)) == {("web", "0001")}
    for script in (ROWS, MIGRATIONS.replace(b" name", b" nam")):
        with pytest.raises(InvalidError, match="which migrations"):
            read_migrations(io.BytesIO(script))
    many = b"".join(b"1\tweb\t%d\n" % number for number in range(BACKUP_MIGRATIONS + 1))
    with pytest.raises(InvalidError, match="more than"):
        read_migrations(io.BytesIO(MIGRATIONS.replace(b"1\tweb\t0001\n", many)))


# --- Archives -----------------------------------------------------------------------------------


@contextmanager
def database(name: str, template: str = "template0") -> Iterator[None]:
    """Inside, Django's connection is to a new and empty database."""
    former = connection.settings_dict["NAME"]
    connection.close()
    with owner() as other:
        other.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = former
        with owner() as other:
            other.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def owner(name: str = "postgres") -> Iterator["psycopg.Connection[Any]"]:
    host = connection.settings_dict["HOST"] or connection.settings_dict["OPTIONS"]["host"]
    with psycopg.connect(host=host, user="postgres", dbname=name, autocommit=True) as other:
        yield other


@pytest.fixture(scope="module")
def source(
    tmp_path_factory: pytest.TempPathFactory,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Path]:
    """A backup; the database that it is of stays, as `source`, for others to be made of it."""
    file = tmp_path_factory.mktemp("backup") / "monday.dump"
    with django_db_blocker.unblock(), database("source"):
        call_command("migrate", verbosity=0)
        Organization.objects.create(slug="acme")
        call_command("backup", str(file), stdout=io.StringIO())
        connection.close()
        yield file


@pytest.fixture
def empty(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock(), database("target"):
        yield


def restore(archive: Path) -> None:
    with archive.open("rb") as file:
        restore_archive(file, Lines(io.StringIO()))


def names(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without definitions: PostgreSQL writes one that was made from its own words otherwise."""
    return sorted(row[:2] if len(row) == 3 else row[:1] for row in rows)


def is_empty() -> bool:
    return connection.introspection.table_names() == []


def changed(source: Path, *statements: str) -> Path:
    """A backup of a database that its owner changed."""
    with owner() as other:
        other.execute("CREATE DATABASE forged TEMPLATE source")
    try:
        with owner("forged") as forger:
            for statement in statements:
                forger.execute(statement)
        host = connection.settings_dict["HOST"] or connection.settings_dict["OPTIONS"]["host"]
        dump = [
            client_program("pg_dump"),
            "--format=custom",
            f"--host={host}",
            "--username=postgres",
        ]
        archive = source.with_name("forged.dump")
        subprocess.run([*dump, f"--file={archive}", "forged"], check=True)
        return archive
    finally:
        with owner() as other:
            other.execute("DROP DATABASE forged WITH (FORCE)")


def test_what_is_restored_is_what_was_there_with_keys_indexes_and_sequences(
    source: Path, empty: None, tmp_path: Path, settings: DjangoSettings
) -> None:
    """Here through a pipe: of a file see e2e/test_backup.py."""
    settings.DATA_DIR = tmp_path / "data"
    pipe = tmp_path / "backup"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", source, pipe]):
        call_command("restore", str(pipe), stdout=io.StringIO())
    assert Organization.objects.get().slug == "acme"
    with connection.cursor() as cursor, owner("source") as other:
        for query in (archive_rows._FOREIGN_KEYS, archive_rows._INDEXES, archive_rows._SEQUENCES):
            cursor.execute(query)
            assert names(cursor.fetchall()) == names(other.execute(query.encode()).fetchall())
    assert Organization.objects.create(slug="globex").pk > Organization.objects.get(slug="acme").pk


def test_programs_that_an_archive_names_are_not_run(source: Path, target: None) -> None:
    """In tables, defaults, triggers, views, functions: what a dump of everything restores."""
    ran = source.with_name("ran")
    archive = changed(
        source,
        f"""CREATE FUNCTION public.run() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
            COPY (SELECT 1) TO PROGRAM 'touch {ran}'; RETURN 1; END $$""",
        "CREATE FUNCTION public.hook() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " PERFORM public.run(); RETURN NEW; END $$",
        "CREATE TRIGGER hooked BEFORE INSERT ON public.tenancy_organization"
        " FOR EACH ROW EXECUTE FUNCTION public.hook()",
        "ALTER TABLE public.tenancy_organization ENABLE ALWAYS TRIGGER hooked",
    )
    ran.unlink(missing_ok=True)
    fill(archive)  # its rows are those of a backup
    Organization.objects.create(slug="globex")
    assert not ran.exists()
    with connection.cursor() as cursor:
        cursor.execute("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace")
        assert cursor.fetchall() == []


@pytest.fixture(scope="module")
def tables(source: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """A database with the tables of the backup, without rows; `target` is made of it.

    Restoring makes just these: test_what_is_restored_is_what_was_there_….
    """
    with django_db_blocker.unblock(), database("tables", "source"):
        filled = set(connection.introspection.table_names()) - {"django_migrations"}
        with connection.cursor() as cursor:
            quoted = ", ".join(map(connection.ops.quote_name, sorted(filled)))
            cursor.execute(f"TRUNCATE {quoted} RESTART IDENTITY")
        connection.close()
        yield


@pytest.fixture
def target(tables: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock(), database("target", "tables"):
        yield


def fill(archive: Path) -> None:
    with archive.open("rb") as file, backup._script(file) as (script, finish):
        load(script, finish)


FORGED_ROWS = [
    (["CREATE TABLE public.more (a int)"], "a table more that its version"),
    (["CREATE SEQUENCE public.more"], "a sequence more that its version"),
    (["DROP TABLE public.django_session"], "lacks the rows of django_session"),
    (["ALTER TABLE public.tenancy_organization ADD more text"], '"more" of relation'),
    (
        [
            "SET session_replication_role = replica",
            "INSERT INTO auth_user_groups (user_id, group_id) VALUES (999, 999)",
        ],
        "violates foreign key",
    ),
    (
        [
            "ALTER TABLE tenancy_organization ALTER slug TYPE text",
            "UPDATE tenancy_organization SET slug = repeat('x', 1000)",
        ],
        "too long for type",
    ),
    (
        [
            "ALTER TABLE tenancy_organization ALTER slug DROP NOT NULL",
            "UPDATE tenancy_organization SET slug = NULL",
        ],
        "null value",
    ),
    (
        [
            "ALTER TABLE django_session ALTER expire_date TYPE text",
            "INSERT INTO django_session VALUES ('a', 'b', 'never')",
        ],
        "invalid input syntax",
    ),
]


def test_rows_that_no_backup_holds_are_refused_and_none_is_kept(
    source: Path, target: None, subtests: pytest.Subtests
) -> None:
    for statements, why in FORGED_ROWS:
        with subtests.test(why):
            archive = changed(source, *statements)
            with pytest.raises(InvalidError, match=why) as caught:
                fill(archive)
            assert "Nothing was changed" in caught.value.message
            assert not Organization.objects.exists()


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (["DELETE FROM public.django_migrations"], "which migrations"),
        (["SELECT lo_create(1)"], "lo_create"),
        (["CREATE SCHEMA codesearch", "CREATE TABLE codesearch.points (a int)"], "codesearch"),
        (
            ["INSERT INTO django_migrations (app, name, applied) VALUES ('web', '9999_x', now())"],
            "web.9999_x is not known",
        ),
        (
            ["UPDATE django_migrations SET name = '../../etc' WHERE name = '0001_initial'"],
            "is not known",
        ),
    ],
)
def test_an_archive_that_no_backup_wrote_is_refused_before_anything_is_changed(
    source: Path, empty: None, statements: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = changed(source, *statements)
    with pytest.raises(InvalidError, match=why) as caught:
        restore(archive)
    assert "Nothing was changed" in caught.value.message
    assert is_empty()


def test_what_is_refused_while_it_is_filled_leaves_no_tables(source: Path, empty: None) -> None:
    archive = changed(source, "CREATE TABLE public.more (a int)")
    with pytest.raises(InvalidError):
        restore(archive)
    assert is_empty()


@pytest.mark.parametrize("part", [0.02, 0.3, 0.5])
def test_a_truncated_archive_changes_nothing(source: Path, empty: None, part: float) -> None:
    whole = source.read_bytes()
    cut = source.with_name("cut.dump")
    cut.write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(ServiceError):
        restore(cut)
    assert is_empty()


def test_a_reader_that_takes_too_much_memory_is_ended_and_changes_nothing(
    source: Path, empty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any archive stands for it: the limit is below what the reader begins with."""
    monkeypatch.setattr(backup, "BACKUP_READER_BYTES", 1_000_000)
    with pytest.raises(ServiceError):
        restore(source)
    assert is_empty()


def test_bytes_that_were_changed_are_refused_or_are_of_no_account(
    source: Path, target: None
) -> None:
    whole = bytearray(source.read_bytes())
    broken = source.with_name("broken.dump")
    for place in range(40, len(whole), len(whole) // 12):
        forged = bytearray(whole)
        forged[place] ^= 1
        broken.write_bytes(forged)
        with suppress(ServiceError), transaction.atomic():
            fill(broken)
            assert Organization.objects.get().slug == "acme"
            transaction.set_rollback(True)
        assert not Organization.objects.exists()


def test_an_archive_that_fills_the_disk_is_refused(
    source: Path, target: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = changed(
        source, "INSERT INTO django_session VALUES ('a', repeat('x', 20000000), now())"
    )
    assert archive.stat().st_size < 1_000_000
    monkeypatch.setattr(archive_rows, "disk_space_error", lambda _: "The disk is full.")
    with pytest.raises(ServiceError, match="The disk is full") as caught:
        fill(archive)
    assert caught.value.code == "disk_full"
    assert not Organization.objects.exists()


def test_tables_that_somebody_else_filled_meanwhile_stay(target: None) -> None:
    Organization.objects.create(slug="globex")
    archive_rows.drop_tables()
    assert not is_empty()


@pytest.mark.parametrize("kind", ["directory", "absent"])
def test_what_is_no_file(empty: None, tmp_path: Path, kind: str, settings: DjangoSettings) -> None:
    settings.DATA_DIR = tmp_path / "data"
    path = tmp_path / "backup"
    if kind == "directory":
        path.mkdir()
    with pytest.raises(CommandError, match="directory"):
        call_command("restore", str(path))
