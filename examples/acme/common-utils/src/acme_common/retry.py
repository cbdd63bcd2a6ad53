"""Call something again after a transient failure, waiting longer each time."""

import functools
import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)


class RetriesExhaustedError(Exception):
    """Every attempt failed. The last failure is the `__cause__`."""

    def __init__(self, attempts: int) -> None:
        super().__init__(f"gave up after {attempts} attempts")
        self.attempts = attempts


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently to try.

    `base_seconds` is the first wait; each further wait is `factor` times as long, never more than
    `cap_seconds`. With `jitter`, the real wait is drawn evenly between half and the whole of that.
    """

    attempts: int = 5
    base_seconds: float = 0.1
    factor: float = 2.0
    cap_seconds: float = 10.0
    jitter: bool = True

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError("a policy needs at least one attempt")


DEFAULT_POLICY = RetryPolicy()


def backoff_delays(policy: RetryPolicy, draw: Callable[[], float] = random.random) -> Iterator[float]:
    """Yield the waits in seconds between the attempts: one fewer than there are attempts."""
    delay = policy.base_seconds
    for _ in range(policy.attempts - 1):
        capped = min(delay, policy.cap_seconds)
        yield capped * (0.5 + draw() / 2) if policy.jitter else capped
        delay *= policy.factor


def retry_call(
    function: Callable[..., T],
    *args: object,
    policy: RetryPolicy = DEFAULT_POLICY,
    retry_on: tuple[type[Exception], ...] = (ConnectionError, TimeoutError),
    sleep: Callable[[float], None] = time.sleep,
    **kwargs: object,
) -> T:
    """Return `function(*args, **kwargs)`, trying again when it raises one of `retry_on`.

    Any other exception passes through at once, because repeating a programming error or a refusal
    only hides it. Raises RetriesExhaustedError when the last attempt has failed too. Implements ADR-0007.
    """
    delays = backoff_delays(policy)
    for attempt in range(1, policy.attempts + 1):
        try:
            return function(*args, **kwargs)
        except retry_on as exc:
            delay = next(delays, None)
            if delay is None:
                raise RetriesExhaustedError(policy.attempts) from exc
            logger.warning("attempt %d failed (%s); waiting %.2f s", attempt, exc, delay)
            sleep(delay)
    raise AssertionError("unreachable: the loop returns or raises")


def retrying(policy: RetryPolicy = DEFAULT_POLICY) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """The decorator form of `retry_call`, for functions that are always called this way."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
            return retry_call(function, *args, policy=policy, **kwargs)

        return wrapper

    return decorate
