"""Leases of runs: short, renewed beside the apply, by one clock, and lost by who comes back."""

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from central.corpus.models import File
from central.ingest.models import IndexRun
from central.ingest.services import apply_run as applying
from central.ingest.services import claims, vectors
from central.ingest.services.claims import RunClaim
from central.repositories.models import Repository
from tests.central.protocol import Api, apply_queued, claim_run
from tests.waiting import wait_until

FILES = {"a.py": "def a\n", "b.py": "def b\n"}


def lease() -> datetime:
    lease_until = IndexRun.objects.get().lease_until
    assert lease_until is not None
    return lease_until


@pytest.mark.django_db
def test_a_dead_worker_s_run_is_free_within_seconds(api: Api, settings: Settings) -> None:
    run = api.queue_full(FILES)
    assert claim_run(run_id=run["run_id"])
    seconds = settings.RUN_LEASE_SECONDS + settings.SWEEP_SECONDS
    assert seconds <= 20
    assert lease() <= timezone.now() + timedelta(seconds=settings.RUN_LEASE_SECONDS)


@pytest.mark.django_db(transaction=True)
def test_a_step_that_takes_longer_than_a_lease_keeps_it(
    api: Api, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.RUN_LEASE_SECONDS = 2
    api.queue_full(FILES)
    stage = vectors.prepare_vectors

    def slow(**arguments: object) -> None:
        first = lease()
        wait_until(lambda: lease() > first, "nothing renewed the lease")
        assert not RunClaim.claimable().exists()
        stage(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(applying, "prepare_vectors", slow)
    assert apply_queued() == ["applied"]
    assert not any(thread.name == "heartbeat" for thread in threading.enumerate())


@pytest.mark.django_db(transaction=True)
def test_an_apply_that_hangs_loses_its_lease(
    api: Api,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.RUN_LEASE_SECONDS = 1
    monkeypatch.setattr(claims, "_HANGING_SECONDS", 0)
    run = api.queue_full(FILES)
    stage = vectors.prepare_vectors

    def hang(**arguments: object) -> None:
        wait_until(lambda: RunClaim.claimable().exists(), "the lease did not end")
        assert claim_run(run_id=run["run_id"])
        stage(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(applying, "prepare_vectors", hang)
    assert apply_queued() == [None]
    assert "apply_hangs" in caplog.text
    assert Repository.objects.get().generation == 0


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_outlives_a_lost_connection(
    api: Api, monkeypatch: pytest.MonkeyPatch, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.RUN_LEASE_SECONDS = 1
    api.queue_full(FILES)
    stage = vectors.prepare_vectors
    end_others = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    )

    def disturbed(**arguments: object) -> None:
        first = lease()
        wait_until(lambda: lease() > first)
        with connection.cursor() as cursor:
            cursor.execute(end_others)
        wait_until(lambda: "heartbeat_failed" in caplog.text)
        second = lease()
        wait_until(lambda: lease() > second)
        stage(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(applying, "prepare_vectors", disturbed)
    assert apply_queued() == ["applied"]


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_stopped_in_its_final_transaction_keeps_no_lock(
    api: Api, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Another one applies the run; when the first goes on, it writes nothing."""
    settings.RUN_LEASE_SECONDS = 1
    monkeypatch.setattr(applying, "_IDLE_SECONDS", 0.2)
    monkeypatch.setattr(claims, "_HANGING_SECONDS", 0)  # its heartbeat is stopped, too
    api.queue_full(FILES)
    tree = applying._loaded_tree
    is_first = True
    states: list[object] = []

    def stopped(run: IndexRun) -> object:
        nonlocal is_first
        if is_first:
            is_first = False
            other = threading.Thread(target=apply_by_another)
            other.start()
            other.join()
        return tree(run)

    def apply_by_another() -> None:
        wait_until(lambda: bool(states.extend(apply_queued()) or states))
        connection.close()

    monkeypatch.setattr(applying, "_loaded_tree", stopped)
    assert apply_queued() == [None]
    assert states == ["applied"]
    assert Repository.objects.get().generation == 1
    assert IndexRun.objects.get().attempts == 2
    assert sorted(File.objects.values_list("path", flat=True)) == sorted(FILES)
