"""The bounds of a campaign under load, with outcomes that are made up."""

import json
from typing import Any

import pytest

from benchmarks.load.clients import Outcome
from benchmarks.load.measurements import Measurements, Runs
from benchmarks.load.report import Step, figures, verdict

READS = ("search", "callers", "callees", "graph", "status")
RUN = ("open", "upload", "upload", "webhook")
MEMORY = [100.0, 120.0, 130.0, 130.0, 131.0, 131.0]


def outcomes(*kinds: str, code: str = "", count: int = 4, **more: Any) -> list[Outcome]:
    return [Outcome("acme", kind, 0.0, 0.01, code, **more) for kind in kinds for _ in range(count)]


ANSWERED = outcomes(*READS, *RUN)
IN_PROGRESS = "409 run_in_progress"


def step(
    outcomes: list[Outcome],
    *,
    is_overload: bool = False,
    memory: list[float] = MEMORY,
    runs: Runs | None = None,
) -> Step:
    measurements = Measurements(livez=[0.01], memory={"worker": memory})
    announced = sum(one.kind == "webhook" for one in outcomes)
    return Step(
        16,
        is_overload,
        10.0,
        outcomes,
        measurements,
        runs or Runs(applied=announced, stale=0, waiting=0),
    )


def missed(measured: Step) -> set[str]:
    return {
        figure.name.removeprefix("16 clients: ")
        for figure in figures(measured)
        if figure.holds is False
    }


@pytest.mark.parametrize("is_overload", [False, True])
def test_what_is_answered_soon_misses_nothing(is_overload: bool) -> None:
    assert not missed(step(ANSWERED, is_overload=is_overload))


def test_a_run_that_is_announced_is_to_be_applied() -> None:
    too_few = {"runs applied or stale, of those announced"}
    assert missed(step(ANSWERED, runs=Runs(applied=3, stale=0, waiting=0))) == too_few
    assert missed(step(ANSWERED, runs=Runs(applied=3, stale=0, waiting=1))) == too_few | {
        "runs that wait"
    }


def test_a_run_may_be_stale_but_not_many() -> None:
    assert not missed(step(ANSWERED * 5, runs=Runs(applied=19, stale=1, waiting=0)))
    many = missed(step(ANSWERED, runs=Runs(applied=3, stale=1, waiting=0)))
    assert many == {"runs that were stale"}


def test_a_run_of_an_earlier_time_that_still_waits_misses() -> None:
    assert missed(step(ANSWERED, runs=Runs(applied=4, stale=0, waiting=1))) == {"runs that wait"}


def test_some_opens_may_come_before_the_last_run_was_applied_but_not_most() -> None:
    early = {"Opens before the last run was applied"}
    assert not missed(step(ANSWERED + outcomes("open", code=IN_PROGRESS, count=4)))
    assert missed(step(ANSWERED + outcomes("open", code=IN_PROGRESS, count=5))) == early
    assert missed(step(outcomes(*READS) + outcomes("open", code=IN_PROGRESS))) == early


def test_refusals_are_for_an_overload() -> None:
    some = ANSWERED + outcomes("search", code="503 too_busy", is_refusal=True)
    assert missed(step(some)) == {"refused"}
    assert not missed(step(some, is_overload=True))


@pytest.mark.parametrize("is_overload", [False, True])
@pytest.mark.parametrize("kind", READS)
def test_a_kind_without_any_answer_misses(kind: str, is_overload: bool) -> None:
    others = outcomes(*(one for one in READS if one != kind))
    refused = outcomes(kind, code="503 too_busy", is_refusal=True)
    expected = {f"{kind} answered"} | (set() if is_overload else {"refused"})
    assert missed(step(others + refused, is_overload=is_overload)) == expected
    assert missed(step(others, is_overload=is_overload)) == {f"{kind} answered"}


def test_errors_miss() -> None:
    assert missed(step(ANSWERED + outcomes("page", code="500"))) == {"other errors"}
    assert missed(step(ANSWERED + outcomes("page", code="timeout"))) == {
        "no answer in time",
        "other errors",
    }


@pytest.mark.parametrize(
    "memory",
    [
        [100.0, 100.0, 0.0, 0.0, 100.0, 100.0],
        [100.0, 100.0, 100.0, 100.0, 0.0, 0.0],
        [0.0] * 6,
        [0.0],
    ],
)
def test_a_part_that_has_ended_misses(memory: list[float]) -> None:
    assert missed(step(ANSWERED, memory=memory)) == {"memory of worker, times without a process"}


def test_memory_that_grows_misses() -> None:
    grown = [100.0, 100.0, 100.0, 100.0, 120.0, 120.0]
    assert missed(step(ANSWERED, memory=grown)) == {
        "memory of worker, last third to the one before"
    }


def test_each_figure_is_a_number_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = list(figures(step([], memory=[0.0] * 6)))
    json.dumps([figure.value for figure in nothing], allow_nan=False)
    assert verdict(nothing) == 1
    assert "missed: 16 clients: search answered: 0 of 1" in capsys.readouterr().out
