"""Optimisation of the store: after applies and by night, never fatal."""

import threading

import pytest
from pytest_django import Settings

from central import celery, tasks
from central.background import STORE, WorkerThread
from central.maintenance import worker
from indexer.errors import StoreUnavailableError
from tests.central.protocol import api_of, apply_queued

pytestmark = pytest.mark.django_db(transaction=True)

WAIT_SECONDS = 20


class Store:
    """Counts what is asked of it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked = 0
        self._error = error

    def maintain(self) -> None:
        """Count, then fail if the test says so."""
        self.asked += 1
        if self._error:
            raise self._error


def stored(monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> Store:
    store = Store(error)
    monkeypatch.setattr(worker, "vector_store", lambda: store)
    return store


def test_a_store_that_is_away_is_noted_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = stored(monkeypatch, StoreUnavailableError("connection refused"))
    worker.maintain_store()
    assert "maintenance_failed" in caplog.text
    worker.maintain_store()
    assert store.asked == 2


def test_a_worker_asks_for_it_after_an_apply_alone(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    sent: list[str] = []
    monkeypatch.setattr(celery, "notify_worker", lambda task, *_, **__: sent.append(task))
    run = api_of().queue_full({"a.py": "def a\n"})
    tasks.apply_run(run["run_id"])
    tasks.apply_run(run["run_id"])  # there is nothing left to apply
    assert sent.count(tasks.maintain.name) == 1


def test_the_embedded_server_does_it_after_an_apply_alone(settings: Settings) -> None:
    settings.SWEEP_SECONDS = 0
    done = threading.Semaphore(0)
    optimizer = WorkerThread("optimizer", lambda **_: done.release(), STORE, sweeps=False)
    optimizer.start()
    try:
        assert done.acquire(timeout=WAIT_SECONDS)  # at the start
        api_of().queue_full({"a.py": "def a\n"})
        assert apply_queued() == ["applied"]
        assert done.acquire(timeout=WAIT_SECONDS)
    finally:
        optimizer.stop()
    assert not done.acquire(blocking=False)
