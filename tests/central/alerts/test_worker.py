"""The embedded server's thread sends alerts, at once when it is woken."""

import threading

import pytest
from pytest_django import Settings

from central.alerts.services.destinations import set_destination
from central.alerts.services.queue import send_alerts
from central.background import ALERTS, WorkerThread
from central.repositories.models import IndexProblem, Repository
from tests.central.alerts.receiver import Receiver
from tests.central.onboarding.world import acme

WAIT_SECONDS = 60


@pytest.mark.django_db(transaction=True)
def test_a_wake_up_sends_what_is_due(receiver: Receiver, settings: Settings) -> None:
    settings.SWEEP_SECONDS = 3600
    turns = threading.Semaphore(0)

    def send_and_tell(**arguments: object) -> int:
        count = send_alerts(**arguments)  # type: ignore[arg-type]
        turns.release()
        return count

    thread = WorkerThread("alerts", send_and_tell, ALERTS)
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
