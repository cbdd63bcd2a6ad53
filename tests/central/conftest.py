"""What the tests share: a client, a run that it opened, and an empty database after each."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import TransactionTestCase

from tests.central.lasting import delete_rows
from tests.central.protocol import Api, api_of


@pytest.fixture(scope="session", autouse=True)
def _deletions() -> Iterator[None]:
    """Let a test that commits empty the tables that have rows, and not with Django's flush.

    That one truncates a hundred tables and makes all permissions again: a fifth of a second.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TransactionTestCase, "_fixture_teardown", lambda _: delete_rows())
        yield


@pytest.fixture
def api() -> Api:
    return api_of()


@pytest.fixture
def run(api: Api) -> dict[str, Any]:
    answer: dict[str, Any] = api.open().json()
    return answer
