"""The beat's schedule, whatever the clock does."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from celery.beat import ScheduleEntry

from central.observability import celery
from central.observability.celery import BeatScheduler
from central.tasks import app  # with the schedule

NOON = datetime(2026, 11, 26, 12, tzinfo=UTC)
SWEEP = "sweep"


class Recording(BeatScheduler):
    """Notes the names of what it would send."""

    producer = None  # the real one connects

    def __init__(self, **arguments: Any) -> None:
        super().__init__(app, **arguments)
        self.sent: list[str] = []

    def apply_async(self, entry: ScheduleEntry, *_: Any, **_options: Any) -> None:
        self.sent.append(str(entry.name))


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOON, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def beat(clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch) -> Recording:
    monkeypatch.setattr(celery, "_touch", lambda _: None)
    return Recording()


def tick_all(beat: Recording) -> list[str]:
    """More ticks than there are tasks."""
    beat.sent.clear()
    for _ in range(100):
        beat.tick()
    return beat.sent


def test_the_sweep_is_sent_at_its_interval(beat: Recording, clock: time_machine.Traveller) -> None:
    clock.shift(timedelta(seconds=11))
    assert SWEEP in tick_all(beat)
    assert SWEEP not in tick_all(beat)
    clock.shift(timedelta(seconds=11))
    assert SWEEP in tick_all(beat)


@pytest.mark.parametrize("hours", [1, -1])
def test_the_sweep_goes_on_when_the_clock_is_set(
    beat: Recording, clock: time_machine.Traveller, hours: int
) -> None:
    tick_all(beat)
    clock.shift(timedelta(hours=hours))
    tick_all(beat)
    clock.shift(timedelta(seconds=11))
    assert SWEEP in tick_all(beat)


def test_the_sweep_goes_on_when_the_clock_is_set_back_before_the_first_tick(
    beat: Recording, clock: time_machine.Traveller
) -> None:
    clock.shift(-timedelta(hours=1))
    tick_all(beat)
    clock.shift(timedelta(seconds=11))
    assert SWEEP in tick_all(beat)
