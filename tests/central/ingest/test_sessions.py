"""Sessions of processes that were stopped: what keeps a repository locked ends."""

import threading
from contextlib import suppress

import psycopg
import pytest
from django.db import connection, transaction

from central.db import Row, fetch_rows
from central.ingest.models import IndexRun
from central.ingest.services import apply_commit, sessions
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
    monkeypatch.setattr(sessions, "_COPY_SECONDS", 0)
    api.queue_full(FILES)
    copied = apply_commit.insert_files
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

    def stopped(**arguments: object) -> None:
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
        copied(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(apply_commit, "insert_files", stopped)
    assert apply_queued() == [None]
    assert Repository.objects.get().generation == 0
    IndexRun.objects.update(lease_until=None)
    assert apply_queued() == ["applied"]


@pytest.mark.django_db(transaction=True)
def test_only_sessions_that_write_for_a_run_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_COPY_SECONDS", 0)
    parameters = connection.get_connection_params()
    names = ("dbname", "host", "port", "user", "password")
    address = {name: parameters[name] for name in names if parameters.get(name)}
    with psycopg.connect(**address) as other, other.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE rows (number int)")
        with cursor.copy("COPY rows FROM STDIN") as copy:
            wait_until(lambda: _waits_for_rows(other.info.backend_pid))
            sessions.end_stopped_writers()
            copy.write_row([1])
        assert cursor.rowcount == 1


def _waits_for_rows(pid: int) -> list[Row]:
    return fetch_rows(
        "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event = 'ClientRead'"
        " AND query LIKE 'COPY%%'",
        [pid],
    )
