"""Retries of requests to an unavailable service, with exponential backoff."""

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import Final, TypeVar

from indexer.errors import IndexerError

_FIRST_PAUSE_SECONDS: Final = 0.2
_LONGEST_PAUSE_SECONDS: Final = 8.0
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Retryable:
    """A failed attempt that may succeed later; `pause_seconds` as the service requested."""

    problem: IndexerError
    pause_seconds: float = 0.0


def with_retries(
    attempt: Callable[[], _Answer | Retryable],
    *,
    seconds: float,
    sleep: Callable[[float], None] = time.sleep,
) -> _Answer:
    """Return the first success of `attempt`; after `seconds`, raise its last problem."""
    deadline = time.monotonic() + seconds
    pause = _FIRST_PAUSE_SECONDS
    while isinstance(outcome := attempt(), Retryable):
        wait = max(outcome.pause_seconds, pause * random.uniform(0.5, 1.0))  # noqa: S311
        if time.monotonic() + wait > deadline:
            raise outcome.problem
        sleep(wait)
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
    return outcome


def parse_retry_after(retry_after: str | None) -> float:
    """Return the seconds of a `Retry-After` header (RFC 9110: seconds, or a date)."""
    text = (retry_after or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        date = parsedate_tz(text)
        seconds = mktime_tz(date) - time.time() if date else 0.0
    return max(seconds, 0.0) if math.isfinite(seconds) else 0.0
