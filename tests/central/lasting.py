"""Rows that are made once for all tests of a module; what a test does to them is rolled back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from central.corpus.branches.tables import MIRRORED, OTHERS

_Made = TypeVar("_Made")
KEPT = {"auth_permission", "django_content_type"}  # made by migrations


@contextmanager
def lasting(blocker: DjangoDbBlocker, make: Callable[[], _Made]) -> Iterator[_Made]:
    """What `make` answers; its rows are there for every test until the end.

    For a fixture of a module, none of whose tests needs an empty database or commits.
    """
    with blocker.unblock(), transaction.atomic():
        made = make()
        connection.run_on_commit.clear()  # as in a test, where nothing is committed
    yield made
    with blocker.unblock():
        delete_rows()


def delete_rows() -> None:
    """Delete what was committed, but for what migrations make."""
    tables = [*sorted(set(connection.introspection.django_table_names()) - KEPT), *_of_branches()]
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(
                f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})"  # noqa: S608
                for name in tables
            )
        )
        filled = ", ".join(name for (name,) in cursor.fetchall())
        if filled:  # deleted rows would stay in the planner's statistics
            cursor.execute(f"TRUNCATE {filled} CASCADE")


def _of_branches() -> list[str]:
    return [f"{OTHERS}.{model._meta.db_table}" for model in MIRRORED]
