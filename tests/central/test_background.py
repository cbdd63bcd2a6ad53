"""Wake-ups with and without a broker, and threads that share one."""

import socketserver
import threading
from typing import Any

import pytest
from kombu.exceptions import OperationalError
from pytest_django import Settings

from central import background, celery
from central.background import WakeUp, WorkerThread

WAIT_SECONDS = 60


def test_without_a_broker_a_wake_up_sets_the_event(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = None
    wake_up = WakeUp("some.task")
    events = [threading.Event() for _ in range(2)]
    for event in events:
        wake_up.listen(event)
    wake_up.wake()
    assert all(event.is_set() for event in events)


def test_a_message_that_the_sweep_repeats_expires_with_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CELERY_BROKER_URL, settings.SWEEP_SECONDS = "redis://127.0.0.1:1/0", 7
    sent: list[tuple[Any, ...]] = []
    monkeypatch.setattr(
        celery, "notify_worker", lambda *words, expires=None: sent.append((*words, expires))
    )
    wake_up = WakeUp("some.task")
    event = threading.Event()
    wake_up.listen(event)
    wake_up.wake()
    wake_up.wake("a run")
    WakeUp("other.task", expires_seconds=60).wake()
    assert sent == [
        ("some.task", 7.0),
        ("some.task", "a run", None),
        ("other.task", 60),
    ]
    assert not event.is_set()


def test_a_broker_that_is_away_is_asked_once() -> None:
    """Who tells a worker of something does not wait: the sweep finds it."""
    asked = threading.Semaphore(0)

    class Away(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            asked.release()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Away) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        url = f"redis://127.0.0.1:{server.server_address[1]}/0"
        with celery.app.connection_for_write(url) as connection, pytest.raises(OperationalError):
            assert connection.default_channel
        server.shutdown()
        thread.join()
    assert asked.acquire(blocking=False)
    assert not asked.acquire(blocking=False)


class _Thread(WorkerThread):
    def __init__(self, *, fails: bool = False) -> None:
        super().__init__("test", self._turn, WakeUp("some.task"), stop_seconds=WAIT_SECONDS)
        self.turns = threading.Semaphore(0)
        self._fails = fails

    def _turn(self, **_: object) -> None:
        self.turns.release()
        if self._fails:
            raise ZeroDivisionError

    def is_alive(self) -> bool:
        return self._thread.is_alive()


@pytest.mark.django_db(transaction=True)
def test_threads_that_share_a_wake_up_all_end(settings: Settings) -> None:
    settings.SWEEP_SECONDS = 3600
    threads = [_Thread() for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        assert thread.turns.acquire(timeout=WAIT_SECONDS)
    for thread in threads:
        thread.end_soon()
    for thread in threads:
        thread.stop()
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.django_db(transaction=True)
def test_a_thread_goes_on_after_an_error(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SWEEP_SECONDS = 3600
    monkeypatch.setattr(background, "_LONGEST_BACKOFF_SECONDS", 0.01)
    thread = _Thread(fails=True)
    thread.start()
    for _ in range(3):
        assert thread.turns.acquire(timeout=WAIT_SECONDS)
    thread.stop()
    assert not thread.is_alive()
