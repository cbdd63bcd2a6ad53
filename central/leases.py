"""Advisory locks, and leases in a column `lease_until`.

A process has what it claimed as long as it renews its lease.

They begin and end by the clock of PostgreSQL, the only one that all processes share. A clock that
was set back would let a lease last too long: one that ends later than a new one would is over.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.db import connection
from django.db.models import Q
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

_CLOCK_TOLERANCE: Final = timedelta(minutes=5)


def seconds_from_now(seconds: float) -> CombinedExpression:
    """Return the end of a lease that begins now."""
    return Now() + timedelta(seconds=seconds)


def has_lease(lease_seconds: float) -> Q:
    """Match rows whose lease, of `lease_seconds` at most, has not ended."""
    longest = seconds_from_now(lease_seconds) + _CLOCK_TOLERANCE
    return Q(lease_until__gt=Now(), lease_until__lte=longest)


def is_over(lease_seconds: float) -> Q:
    """Match rows whose lease, of `lease_seconds` at most, has ended. Not those without one."""
    longest = seconds_from_now(lease_seconds) + _CLOCK_TOLERANCE
    return Q(lease_until__lte=Now()) | Q(lease_until__gt=longest)


@contextmanager
def held(namespace: int, key: int) -> Iterator[bool]:
    """Whether this process alone has PostgreSQL's advisory lock, as long as the block runs."""
    name = [namespace, key % 2**31]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", name)
        row = cursor.fetchone()
    has_lease = bool(row and row[0])
    try:
        yield has_lease
    finally:
        if has_lease:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", name)
