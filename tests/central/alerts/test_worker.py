"""The embedded server's thread sends alerts, at once when it is woken."""

import threading

import pytest
from pytest_django import Settings

from central import embedded_workers
from central.alerts.services.destinations import set_destination
from central.background import ALERTS
from central.embedded_workers import AlertWorker
from central.repositories.models import IndexProblem, Repository
from tests.central.alerts.receiver import Receiver
from tests.central.onboarding.world import acme

WAIT_SECONDS = 60


@pytest.mark.django_db(transaction=True)
def test_a_wake_up_sends_what_is_due(
    receiver: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SWEEP_SECONDS = 3600
    turns = threading.Semaphore(0)
    real = embedded_workers.send_alerts

    def send_and_tell(**arguments: object) -> int:
        count = real(**arguments)  # type: ignore[arg-type]
        turns.release()
        return count

    monkeypatch.setattr(embedded_workers, "send_alerts", send_and_tell)
    thread = AlertWorker()
    thread.start()
    try:
        assert turns.acquire(timeout=WAIT_SECONDS)
        set_destination(organization=acme(), address=receiver.address, actor="test")
        Repository.objects.create(
            organization=acme(), name="shop", tracked_ref="r", trouble=IndexProblem.FAILED
        )
        ALERTS.wake()
        assert turns.acquire(timeout=WAIT_SECONDS)
    finally:
        thread.stop()
    assert receiver.messages[0]["failing"][0]["project"] == "shop"
