"""Advisory locks of PostgreSQL: one process at a time works on something."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


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
