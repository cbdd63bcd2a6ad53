"""The time of a call, and attempts that are made again within it."""

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from integrations.codequery.configuration import RetryRules
from integrations.codequery.errors import Code, CodeQueryError

_Answer = TypeVar("_Answer")
_NOTHING_SECONDS: Final = 0.05  # a request's own clock may be this much ahead


class Deadline:
    """When a call has to be over."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds
        self._at = time.monotonic() + milliseconds / 1000

    @property
    def seconds(self) -> float:
        """What is left; 0 when it is over."""
        return max(0.0, self._at - time.monotonic())

    def check(self, doing: str) -> None:
        """Raise CodeQueryError if the time is over; `doing` ends the sentence "… while"."""
        if not self.seconds:
            raise self.passed(doing)

    def passed(self, doing: str) -> CodeQueryError:
        """What is said when the time is over."""
        return CodeQueryError(
            Code.TIMEOUT,
            f"the call did not end within timeout_ms={self._milliseconds} (while {doing}). What is "
            "uploaded stays: call again, which goes on from there, or with a larger timeout_ms",
            is_general=True,
        )


class Retries:
    """Transient errors are tried again, after the pauses of the rules; others are raised at once.

    `sleep` and `jitter` (of 0 to 1) are real ones but in tests.
    """

    def __init__(
        self,
        rules: RetryRules,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._rules = rules
        self._sleep = sleep
        self._jitter = jitter

    def run(self, attempt: Callable[[float], _Answer], deadline: Deadline, doing: str) -> _Answer:
        """The first answer of `attempt`, which is given the seconds that it may take.

        Each gets its share of what is left, so that there is time for the next one. Raises
        CodeQueryError: the last one, or that the time is over.
        """
        for left in range(self._rules.max_attempts, 0, -1):
            deadline.check(doing)
            try:
                return attempt(deadline.seconds / left)
            except CodeQueryError as error:
                problem = error
            if problem.code is Code.TIMEOUT and deadline.seconds < _NOTHING_SECONDS:
                raise deadline.passed(doing)
            if not problem.is_transient or left == 1:
                raise problem
            pause = self._pause(self._rules.max_attempts - left, problem)
            if pause >= deadline.seconds:  # it would be over before the next attempt
                raise problem if problem.pause_seconds else deadline.passed(doing)
            self._sleep(pause)
        raise AssertionError("there is at least one attempt")

    def _pause(self, number: int, problem: CodeQueryError) -> float:
        backoff = self._rules.backoff_ms[min(number, len(self._rules.backoff_ms) - 1)]
        own = (backoff + self._jitter() * self._rules.jitter_ms) / 1000
        return max(own, problem.pause_seconds)
