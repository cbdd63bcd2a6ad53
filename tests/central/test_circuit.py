"""The circuit against a model of what it promises, on a clock of the test's own."""

import asyncio
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from central.circuit import Circuit, CircuitOpenError
from tests.property_settings import examples

THRESHOLD, PAUSE = 5, 10.0


class _DownError(Exception):
    """What counts."""


class _OtherError(Exception):
    """What does not."""


class _Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class _Watched:
    """A circuit, its clock and the changes that it told of."""

    def __init__(self) -> None:
        self.clock = _Clock()
        self.changes: list[bool] = []
        self.circuit = Circuit(
            threshold=THRESHOLD, pause_seconds=PAUSE, changed=self.changes.append, clock=self.clock
        )

    def attempt(self, outcome: BaseException | None = None) -> None:
        with suppress(type(outcome) if outcome else _DownError), self.circuit.guard(_DownError):
            if outcome:
                raise outcome

    def opened(self) -> "_Watched":
        for _ in range(THRESHOLD):
            self.attempt(_DownError())
        return self


def test_five_failures_in_a_row_open_it_and_it_says_for_how_long() -> None:
    watched = _Watched().opened()
    watched.clock.now += 4
    with pytest.raises(CircuitOpenError) as caught, watched.circuit.guard(_DownError):
        raise AssertionError("an attempt was made")
    assert caught.value.retry_seconds == pytest.approx(6)
    assert watched.changes == [True]


def test_a_success_among_the_failures_starts_the_count_anew() -> None:
    watched = _Watched()
    for outcome in [_DownError()] * 4 + [None] + [_DownError()] * 4:
        watched.attempt(outcome)
    watched.attempt()
    assert watched.changes == []


def test_after_the_pause_a_success_closes_it() -> None:
    watched = _Watched().opened()
    watched.clock.now += PAUSE
    watched.attempt()
    watched.attempt()
    assert watched.changes == [True, False]


def test_after_the_pause_a_failure_keeps_it_open_for_another() -> None:
    watched = _Watched().opened()
    watched.clock.now += PAUSE
    watched.attempt(_DownError())
    watched.clock.now += PAUSE - 1
    with pytest.raises(CircuitOpenError):
        watched.attempt()


def test_after_the_pause_one_attempt_is_made_while_the_others_are_answered_at_once() -> None:
    watched = _Watched().opened()
    watched.clock.now += PAUSE
    with watched.circuit.guard(_DownError):
        for _ in range(3):
            with pytest.raises(CircuitOpenError):
                watched.attempt()
    watched.attempt()


def test_a_probe_that_is_cancelled_leaves_its_turn_to_the_next() -> None:
    watched = _Watched().opened()
    watched.clock.now += PAUSE
    watched.attempt(asyncio.CancelledError())
    watched.attempt()
    assert watched.changes == [True, False]


def test_an_attempt_from_before_the_opening_changes_nothing() -> None:
    watched = _Watched()
    with watched.circuit.guard(_DownError):
        watched.opened()
    with pytest.raises(CircuitOpenError):
        watched.attempt()


class CircuitMachine(RuleBasedStateMachine):
    """Attempts that overlap in every order; the model is the definition, written out."""

    def __init__(self) -> None:
        super().__init__()
        self.watched = _Watched()
        self.running: list[tuple[object, int, bool]] = []  # context, period, is the probe
        self.failures, self.period = 0, 0
        self.open_until: float | None = None

    def _probe_is_running(self) -> bool:
        return any(period == self.period and probe for _, period, probe in self.running)

    @rule(seconds=st.floats(0, 12))
    def time_passes(self, seconds: float) -> None:
        self.watched.clock.now += seconds

    @rule()
    def one_begins(self) -> None:
        is_open = self.open_until is not None
        may = not is_open or (
            self.watched.clock.now >= self.open_until and not self._probe_is_running()
        )
        attempt = self.watched.circuit.guard(_DownError)
        if may:
            attempt.__enter__()
            self.running.append((attempt, self.period, is_open))
        else:
            with pytest.raises(CircuitOpenError) as caught:
                attempt.__enter__()
            assert 0 <= caught.value.retry_seconds <= PAUSE

    @precondition(lambda self: self.running)
    @rule(
        data=st.data(), outcome=st.sampled_from([None, _DownError, _OtherError, KeyboardInterrupt])
    )
    def one_ends(self, data: st.DataObject, outcome: type[BaseException] | None) -> None:
        index = data.draw(st.integers(0, len(self.running) - 1))
        attempt, period, _ = self.running.pop(index)
        error = outcome() if outcome else None
        with suppress(_DownError, _OtherError, KeyboardInterrupt):
            assert not attempt.__exit__(outcome, error, None)
        if period == self.period and outcome in (None, _DownError):
            self._count(has_failed=outcome is _DownError)

    def _count(self, *, has_failed: bool) -> None:
        was_open = self.open_until is not None
        self.failures = self.failures + 1 if has_failed else 0
        if has_failed and (was_open or self.failures == THRESHOLD):
            self.open_until, self.period = self.watched.clock.now + PAUSE, self.period + 1
        elif was_open:
            self.open_until, self.period = None, self.period + 1

    @invariant()
    def the_last_change_told_is_the_state(self) -> None:
        told = self.watched.changes
        assert (told[-1] if told else False) == (self.open_until is not None)
        assert all(a != b for a, b in pairwise(told))


CircuitMachine.TestCase.settings = settings(examples(60), stateful_step_count=40)
TestCircuit = CircuitMachine.TestCase
