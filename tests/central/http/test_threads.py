"""Request threads: what a function leaves behind, and what it sees of its caller."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest
from django.db import connection

from central.http.asgi import RequestThreads

NAME: ContextVar[str] = ContextVar("name")


def connect() -> None:
    connection.ensure_connection()


def fail() -> None:
    connect()
    raise ZeroDivisionError


@pytest.mark.django_db
@pytest.mark.parametrize("function", [connect, fail])
def test_connection_goes_back_when_a_query_ends_however_it_ends(
    function: Callable[[], None],
) -> None:
    async def connections() -> list[bool]:
        states = []
        with ThreadPoolExecutor(1) as executor:
            threads = RequestThreads(executor)
            for run in (threads.run, threads.query):
                await asyncio.gather(run(function), return_exceptions=True)
                states.append(await threads.run(lambda: connection.connection is not None))
        return states

    assert asyncio.run(connections()) == [True, False]


def test_function_sees_the_variables_of_its_caller_and_keeps_its_own_to_itself() -> None:
    async def names() -> tuple[str, str]:
        NAME.set("caller's")
        with ThreadPoolExecutor(1) as executor:
            threads = RequestThreads(executor)
            seen = await threads.run(NAME.get)
            await threads.run(lambda: NAME.set("function's"))
        return seen, NAME.get()

    assert asyncio.run(names()) == ("caller's", "caller's")
