"""Giving a run up: what is noted of it, whatever the service answers."""

import threading

import pytest

from indexer.client.api import IndexingClient
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.pipeline import open_run as opening
from indexer.pipeline.open_run import abandon_run
from indexer.pipeline.report import RunProgress, RunStage
from tests.indexer.central import TOKEN, StandIn

TOO_LATE: tuple[int, dict[str, str], dict[str, str]] = (
    409,
    {"code": "run_not_open", "detail": "It is queued.", "state": "queued"},
    {},
)


def give_up_at(central: StandIn, stage: RunStage) -> RunStage:
    transport = Transport(url=central.url, credentials=StaticToken(TOKEN))
    run_progress = RunProgress("run-1", stage)
    abandon_run(IndexingClient(transport), run_progress)
    transport.close()
    return run_progress.stage


def test_a_run_that_is_given_up_is_noted_as_such(central: StandIn) -> None:
    assert give_up_at(central, RunStage.OPEN) is RunStage.CANCELLED
    assert central.abandoned == ["cancelled"]


def test_a_run_that_central_took_before_its_answer_was_lost_goes_on(central: StandIn) -> None:
    central.failures = [TOO_LATE]
    assert give_up_at(central, RunStage.ANNOUNCING) is RunStage.ANNOUNCED


def test_a_run_that_ended_otherwise_is_told(
    central: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    central.failures = [TOO_LATE]
    assert give_up_at(central, RunStage.OPEN) is RunStage.OPEN
    assert "run run-1 could not be cancelled" in caplog.text


def test_a_service_that_is_away_is_asked_once(
    central: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    central.failures = [(503, {"detail": "away"}, {})]
    assert give_up_at(central, RunStage.OPEN) is RunStage.OPEN
    assert "will expire" in caplog.text


def test_an_answer_that_does_not_come_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Silent(IndexingClient):
        """Nobody answers before the test is over."""

        def __init__(self) -> None:
            self.over = threading.Event()

        def abandon_run(self, run_id: str, reason: str) -> None:  # noqa: ARG002 - as the real one
            self.over.wait(30)

    monkeypatch.setattr(opening, "_ABANDON_SECONDS", 0.01)
    central, run_progress = Silent(), RunProgress("run-1", RunStage.OPEN)
    abandon_run(central, run_progress)
    central.over.set()
    assert run_progress.stage is RunStage.OPEN
    assert "no answer" in caplog.text
