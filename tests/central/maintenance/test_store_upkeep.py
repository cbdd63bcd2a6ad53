"""StoreOptimizer of the store: after applies and by night, never fatal."""

import threading

import pytest

from central.ingest import tasks
from central.maintenance import tasks as maintenance_tasks
from central.maintenance import worker
from central.maintenance.worker import EmbeddedWorker
from indexer.errors import StoreUnavailableError
from tests.central.protocol import api_of

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


def test_a_worker_asks_for_it_after_an_apply_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(
        maintenance_tasks.maintain, "apply_async", lambda *_, **message: sent.append(message)
    )
    run = api_of().queue_full({"a.py": "def a\n"})
    tasks.apply_run(run["run_id"])
    tasks.apply_run(run["run_id"])  # there is nothing left to apply
    assert sent == [{"expires": 3600}]


def test_the_embedded_server_does_it_after_an_apply_and_outlives_what_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = threading.Semaphore(0)

    def fails() -> None:
        done.release()
        raise RuntimeError

    monkeypatch.setattr(worker, "maintain_store", fails)
    embedded_worker = EmbeddedWorker()
    embedded_worker.start()
    try:
        assert done.acquire(timeout=WAIT_SECONDS)  # at the start
        api_of().queue_full({"a.py": "def a\n"})
        assert done.acquire(timeout=WAIT_SECONDS)
    finally:
        embedded_worker.stop()
