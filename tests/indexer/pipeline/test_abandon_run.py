"""Giving a run up: what is noted of it, whatever the service answers."""

import threading
from collections.abc import Iterator

import pytest

from indexer.client.api import Central
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.pipeline import open_run as opening
from indexer.pipeline.open_run import give_up
from indexer.pipeline.report import Course, Stage
from tests.indexer.central import TOKEN, StandIn, stand_in

TOO_LATE: tuple[int, dict[str, str], dict[str, str]] = (
    409,
    {"code": "run_not_open", "detail": "It is queued.", "state": "queued"},
    {},
)


@pytest.fixture
def central() -> Iterator[StandIn]:
    with stand_in() as central:
        yield central


def give_up_at(central: StandIn, stage: Stage) -> Stage:
    transport = Transport(url=central.url, credentials=StaticToken(TOKEN))
    course = Course("run-1", stage)
    give_up(Central(transport), course)
    transport.close()
    return course.stage


def test_a_run_that_is_given_up_is_noted_as_such(central: StandIn) -> None:
    assert give_up_at(central, Stage.OPEN) is Stage.GIVEN_UP
    assert central.abandoned == ["cancelled"]


def test_a_run_that_central_took_before_its_answer_was_lost_goes_on(central: StandIn) -> None:
    central.failures = [TOO_LATE]
    assert give_up_at(central, Stage.ANNOUNCING) is Stage.ANNOUNCED


def test_a_run_that_ended_otherwise_is_told(
    central: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    central.failures = [TOO_LATE]
    assert give_up_at(central, Stage.OPEN) is Stage.OPEN
    assert "run run-1 was not given up" in caplog.text


def test_a_service_that_is_away_is_asked_once(
    central: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    central.failures = [(503, {"detail": "away"}, {})]
    assert give_up_at(central, Stage.OPEN) is Stage.OPEN
    assert "it will expire" in caplog.text


def test_an_answer_that_does_not_come_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Silent(Central):
        """Nobody answers before the test is over."""

        def __init__(self) -> None:
            self.over = threading.Event()

        def abandon_run(self, run_id: str, reason: str) -> None:  # noqa: ARG002 - as the real one
            self.over.wait(30)

    monkeypatch.setattr(opening, "WAIT_SECONDS", 0.01)
    central, course = Silent(), Course("run-1", Stage.OPEN)
    give_up(central, course)
    central.over.set()
    assert course.stage is Stage.OPEN
    assert "no answer" in caplog.text
