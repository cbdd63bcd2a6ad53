"""Rows that are made once for all tests of a module; what a test does to them is rolled back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.apps import apps
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

_Made = TypeVar("_Made")


@contextmanager
def lasting(blocker: DjangoDbBlocker, make: Callable[[], _Made]) -> Iterator[_Made]:
    """What `make` answers; its rows are there for every test until the end.

    For a fixture of a module, none of whose tests needs an empty database or commits.
    """
    with blocker.unblock(), transaction.atomic():
        made = make()
        connection.run_on_commit.clear()  # as in a test, where nothing is committed
    yield made
    with blocker.unblock(), connection.cursor() as cursor:
        tables = [
            connection.ops.quote_name(model._meta.db_table)
            for model in apps.get_models()
            if model.__module__.startswith("central.")
        ]
        cursor.execute(f"TRUNCATE {', '.join(tables)} CASCADE")
