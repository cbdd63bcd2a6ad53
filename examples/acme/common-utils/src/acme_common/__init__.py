"""Building blocks shared by the Acme services. Import from the modules or, for the common ones, from here."""

from acme_common.clock import Clock, FrozenClock, SystemClock
from acme_common.ids import new_id
from acme_common.money import Money, format_money
from acme_common.retry import RetriesExhaustedError, RetryPolicy, retry_call, retrying

__all__ = [
    "Clock",
    "FrozenClock",
    "Money",
    "RetriesExhaustedError",
    "RetryPolicy",
    "SystemClock",
    "format_money",
    "new_id",
    "retry_call",
    "retrying",
]
