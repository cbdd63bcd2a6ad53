"""Brute-force protection for the log-in form."""

from collections import defaultdict, deque
from datetime import datetime, timedelta

from acme_common.clock import Clock

WINDOW = timedelta(minutes=15)
MAX_FAILURES = 10


class LoginThrottle:
    """Counts failed log-ins per account in a sliding window and locks the account when there are too many."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures: defaultdict[str, deque[datetime]] = defaultdict(deque)

    def is_locked(self, account: str) -> bool:
        """Whether further attempts must be refused without looking at the password."""
        failures = self._failures[account]
        while failures and failures[0] < self._clock.now() - WINDOW:
            failures.popleft()
        return len(failures) >= MAX_FAILURES

    def record_failure(self, account: str) -> None:
        self._failures[account].append(self._clock.now())

    def reset(self, account: str) -> None:
        """Forget the failures after a successful log-in."""
        self._failures.pop(account, None)
