"""Sessions of processes that were stopped: what keeps a repository locked ends."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from central.corpus.replace import Replacement
from central.db import Row, fetch_rows
from central.ingest.models import IndexRun
from central.ingest.services import claims
from central.ingest.services.claims import sweep
from central.repositories.models import Repository
from tests.central.protocol import Api, apply_queued
from tests.waiting import wait_until

FILES = {"a.py": "def a\n", "b.py": "def b\n"}


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_stopped_in_a_copy_keeps_no_lock(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits between two rows; the sweep of another ends its session, and the run goes on."""
    monkeypatch.setattr(claims, "_COPY_SECONDS", 0)
    api.queue_full(FILES)
    copied = Replacement.insert_files
    is_first = True
    swept = threading.Event()

    def sweep_until_free() -> None:
        run = IndexRun.objects.get()
        wait_until(lambda: _is_free(run), "nothing ended the session")
        swept.set()
        connection.close()

    def _is_free(run: IndexRun) -> bool:
        sweep()
        with transaction.atomic():
            return IndexRun.objects.select_for_update(skip_locked=True).filter(pk=run.pk).exists()

    def stopped(replaced: Replacement, *arguments: Any) -> None:
        nonlocal is_first
        if is_first:
            is_first = False
            other = threading.Thread(target=sweep_until_free)
            with (
                suppress(psycopg.OperationalError),
                connection.cursor() as cursor,
                cursor.copy("COPY ingest_batch (number) FROM STDIN"),
            ):
                other.start()
                other.join()
            assert swept.is_set()
        copied(replaced, *arguments)

    monkeypatch.setattr(Replacement, "insert_files", stopped)
    assert apply_queued() == [None]
    assert Repository.objects.get().generation == 0
    IndexRun.objects.update(lease_until=None)
    assert apply_queued() == ["applied"]


@pytest.mark.django_db(transaction=True)
def test_only_sessions_that_write_for_a_run_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_COPY_SECONDS", 0)
    with psycopg.connect(**address()) as other, other.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE rows (number int)")
        with cursor.copy("COPY rows FROM STDIN") as copy:
            wait_until(lambda: _waits_for_rows(other.info.backend_pid))
            claims.end_stopped_writers()
            copy.write_row([1])
        assert cursor.rowcount == 1


@pytest.mark.django_db(transaction=True)
def test_a_stopped_writer_ends_also_while_the_password_is_changed_by_a_second_role(
    monkeypatch: pytest.MonkeyPatch, second_role: str
) -> None:
    """docs/how-to/change-secrets.md: the role that logs in is another than the one that acts."""
    monkeypatch.setattr(claims, "_COPY_SECONDS", 0)
    login = {**address(), "user": second_role, "password": PASSWORD}
    with psycopg.connect(**login, application_name="aeterna writes x") as other:
        cursor = other.cursor()
        cursor.execute("CREATE TEMPORARY TABLE rows (number int)")
        with suppress(psycopg.OperationalError), cursor.copy("COPY rows FROM STDIN"):
            wait_until(lambda: _waits_for_rows(other.info.backend_pid))
            with connection.cursor() as ours:
                ours.execute(f"SET SESSION AUTHORIZATION {second_role}")
                ours.execute("SET ROLE first_role")  # what a login as the second role does
                try:
                    claims.end_stopped_writers()
                finally:
                    ours.execute("RESET ROLE")
                    ours.execute("RESET SESSION AUTHORIZATION")
            wait_until(lambda: not _waits_for_rows(other.info.backend_pid))


PASSWORD = "of-the-second-role"


@pytest.fixture
def second_role() -> Iterator[str]:
    """A role that logs in, and acts as another one."""
    with connection.cursor() as cursor:
        cursor.execute("DROP ROLE IF EXISTS second_role, first_role")
        cursor.execute("CREATE ROLE first_role")
        cursor.execute("CREATE ROLE second_role LOGIN PASSWORD %s IN ROLE first_role", [PASSWORD])
        cursor.execute("ALTER ROLE second_role SET role = first_role")
        yield "second_role"
        cursor.execute("DROP ROLE second_role, first_role")


def address() -> dict[str, str]:
    """Parameters of a connection to the database of the tests."""
    parameters = connection.get_connection_params()
    names = ("dbname", "host", "port", "user", "password")
    return {name: parameters[name] for name in names if parameters.get(name)}


def _waits_for_rows(pid: int) -> list[Row]:
    return fetch_rows(
        "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event = 'ClientRead'"
        " AND query LIKE 'COPY%%'",
        [pid],
    )
