"""A circuit breaker: stops calls after repeated failures and probes with one call after a pause.

Own code, because the libraries let every caller through as a probe once the pause is over, count a
call that was cancelled as a failure (or as a success), and do not say when the next try is.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class CircuitOpenError(Exception):
    """The circuit is open; the next attempt is possible in `retry_seconds`."""

    def __init__(self, retry_seconds: float) -> None:
        super().__init__(f"no attempt for another {retry_seconds:.1f} s")
        self.retry_seconds = retry_seconds


class Circuit:
    """A breaker that opens after `threshold` failures in a row; one probe may close it later.

    The probe is made after `pause_seconds`. Thread-safe. Calls `changed(is_open)` at each change.
    """

    def __init__(
        self,
        *,
        threshold: int,
        pause_seconds: float,
        changed: Callable[[bool], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threshold = threshold
        self._pause_seconds = pause_seconds
        self._changed = changed
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._opened_at: float | None = None
        self._probing_since: float | None = None
        self._period = 0  # counts the changes: what began before the last one does not matter

    @contextmanager
    def guard(self, *failures: type[Exception]) -> Iterator[None]:
        """Guard one attempt: `failures` count as a failure, a normal end as a success.

        Other exceptions, such as cancellation, do not count. Raises CircuitOpenError.
        """
        period = self._enter()
        try:
            yield
        except failures:
            self._leave(period, has_failed=True)
            raise
        except BaseException:
            self._leave(period, has_failed=None)
            raise
        self._leave(period, has_failed=False)

    def _enter(self) -> int:
        with self._lock:
            if self._opened_at is not None:
                now = self._clock()
                # While another call probes, the retry time counts from the start of its probe.
                since = self._opened_at if self._probing_since is None else self._probing_since
                if self._probing_since is not None or now < since + self._pause_seconds:
                    raise CircuitOpenError(max(since + self._pause_seconds - now, 0.0))
                self._probing_since = now
            return self._period

    def _leave(self, period: int, *, has_failed: bool | None) -> None:
        with self._lock:
            if period != self._period:
                return
            was_open = self._opened_at is not None
            self._probing_since = None
            if has_failed is None:
                return
            self._failures = self._failures + 1 if has_failed else 0
            is_open = has_failed and (was_open or self._failures >= self._threshold)
            if was_open or is_open:
                self._opened_at = self._clock() if is_open else None
                self._period += 1
        if was_open != is_open:
            self._changed(is_open)
