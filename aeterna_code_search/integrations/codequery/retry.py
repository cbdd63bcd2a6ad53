"""The deadline of a call, and retries within it."""

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from aeterna_code_search.integrations.codequery.configuration import RetryRules
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError

_Answer = TypeVar("_Answer")
_CLOCK_TOLERANCE_SECONDS: Final = 0.05  # requests may time out this early


class Deadline:
    """The end of a call's time."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds
        self._at = time.monotonic() + milliseconds / 1000

    @property
    def seconds(self) -> float:
        """The remaining seconds; 0 after the deadline."""
        return max(0.0, self._at - time.monotonic())

    def check(self, doing: str) -> None:
        """Raise CodeQueryError after the deadline; `doing` completes "while …"."""
        if not self.seconds:
            raise self.passed(doing)

    def passed(self, doing: str) -> CodeQueryError:
        """Return the error after the deadline."""
        return CodeQueryError(
            Code.TIMEOUT,
            f"the call did not end within timeout_ms={self._milliseconds} (while {doing}). "
            "Uploaded files stay: call again to continue, or use a larger timeout_ms",
            is_general=True,
        )


class Retries:
    """Retries of transient errors after the pauses of the rules; other errors are raised.

    Tests replace `sleep` and `jitter` (0 to 1).
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
        """Return the first answer of `attempt`, whose argument is its time limit in seconds.

        Each attempt gets a share of the remaining time, which leaves time for the next one. Raises
        the last CodeQueryError, or that of the deadline.
        """
        for remaining in range(self._rules.max_attempts, 0, -1):
            deadline.check(doing)
            try:
                return attempt(deadline.seconds / remaining)
            except CodeQueryError as error:
                problem = error
            if problem.code is Code.TIMEOUT and deadline.seconds < _CLOCK_TOLERANCE_SECONDS:
                raise deadline.passed(doing)
            if not problem.is_transient or remaining == 1:
                raise problem
            pause = self._pause(self._rules.max_attempts - remaining, problem)
            if pause >= deadline.seconds:  # the deadline is before the next attempt
                raise problem if problem.pause_seconds else deadline.passed(doing)
            self._sleep(pause)
        raise AssertionError("there is at least one attempt")

    def _pause(self, number: int, problem: CodeQueryError) -> float:
        backoff = self._rules.backoff_ms[min(number, len(self._rules.backoff_ms) - 1)]
        own = (backoff + self._jitter() * self._rules.jitter_ms) / 1000
        return max(own, problem.pause_seconds)
