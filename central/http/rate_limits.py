"""Rate limits over a moving window, counted in this process or in Redis for all processes.

While Redis does not answer, each process counts for itself: a limit must neither take the service
down nor be gone when Redis is.
"""

import math
import time
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import structlog
from django.conf import settings

from central.circuit import Circuit, CircuitOpenError
from central.errors import ThrottledError
from central.observability.metrics import THROTTLED

if TYPE_CHECKING:
    from limits import RateLimitItem
    from limits.strategies import RateLimiter

OFF: Final = "off"
_REDIS_SECONDS: Final = 0.25
_PAUSE_SECONDS: Final = 10.0

_log = structlog.get_logger(__name__)


def check(key: str, rate: str) -> float | None:
    """Count one request of `key`; return None if it may go on, else the seconds to wait.

    Refused requests are not counted. `rate` is '600/minute' or 'off'; two rates need two keys.
    `key` may be any text: it is hashed.
    """
    if rate == OFF:
        return None
    item = parsed(rate)
    name = sha256(key.encode(errors="replace")).hexdigest()
    return _limit(settings.RATE_STORAGE)(item, name)


def enforce(key: str, rate: str, *, what: str) -> None:
    """Count one request of `key`. Raises ThrottledError, which the metrics count by `what`."""
    wait = check(key, rate)
    if wait is None:
        return
    THROTTLED.labels(what).inc()
    seconds = max(math.ceil(wait), 1)
    raise ThrottledError(
        f"More than {rate.replace('/', ' requests per ')}; try again in {seconds} s.",
        retry_after=seconds,
    )


@cache
def parsed(rate: str) -> "RateLimitItem":
    """Parse a rate such as '600/minute'. Raises ValueError."""
    from limits import parse  # a tenth of a second: paid by the first who is counted

    return parse(rate)


@cache
def _limit(storage: str | None) -> "Callable[[RateLimitItem, str], float | None]":
    from limits.storage import MemoryStorage, RedisStorage
    from limits.strategies import MovingWindowRateLimiter

    local = MovingWindowRateLimiter(MemoryStorage())
    if storage is None:
        return lambda item, name: _wait(local, item, name)
    from redis.backoff import NoBackoff
    from redis.exceptions import RedisError
    from redis.retry import Retry

    options = {"socket_connect_timeout": _REDIS_SECONDS, "socket_timeout": _REDIS_SECONDS}
    again = Retry(NoBackoff(), 0)
    redis = RedisStorage(storage, key_prefix="aeterna-rates", retry=again, **options)  # type: ignore[arg-type]
    shared = MovingWindowRateLimiter(redis)
    circuit = Circuit(threshold=1, pause_seconds=_PAUSE_SECONDS, changed=_log_change)

    def limit(item: "RateLimitItem", name: str) -> float | None:
        try:
            with circuit.guard(RedisError):
                return _wait(shared, item, name)
        except (CircuitOpenError, RedisError):
            return _wait(local, item, name)

    return limit


def _wait(limiter: "RateLimiter", item: "RateLimitItem", name: str) -> float | None:
    if limiter.hit(item, name):
        return None
    return max(limiter.get_window_stats(item, name).reset_time - time.time(), 0.0)


def _log_change(is_open: bool) -> None:
    _log.warning("rate_limiting_unavailable" if is_open else "rate_limiting_recovered")
