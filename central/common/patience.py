"""How long one statement of the database may take."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error, connection


@contextmanager
def statements_ended_after(seconds: float) -> Iterator[None]:
    """Inside, the database ends a statement of this thread that takes longer: OperationalError."""
    _execute(f"SET statement_timeout = {round(seconds * 1000)}")
    try:
        yield
    finally:
        try:
            _execute("RESET statement_timeout")
        except Error:  # nobody else is to have it so
            connection.close()


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
