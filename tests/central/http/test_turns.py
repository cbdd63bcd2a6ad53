"""Who gets the next place: each caller in turn, and none has all."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from central.errors import UnavailableError
from central.http.asgi import RequestThreads
from central.http.lanes import Lane
from central.http.turns import Caller, Turns, caller_of, current, remember_caller
from indexer import limits

FLOOD = Caller("organization 1")
OTHER = Caller("organization 2")
UPLOAD = Caller("organization 1", Lane.UPLOADS)
OTHER_UPLOAD = Caller("organization 2", Lane.UPLOADS)


def entered(turns: Turns[str], caller: Caller) -> int:
    """How many places the caller gets."""
    count = 0
    while turns.enter(caller):
        count += 1
    return count


def test_one_caller_never_has_all_places() -> None:
    turns: Turns[str] = Turns()
    assert entered(turns, FLOOD) == limits.REQUESTS_OF_ONE_CALLER
    assert turns.enter(OTHER)


def test_one_caller_never_has_all_places_of_uploads() -> None:
    turns: Turns[str] = Turns()
    assert entered(turns, UPLOAD) == limits.UPLOADS_OF_ONE_CALLER
    assert entered(turns, OTHER_UPLOAD) == limits.UPLOADS_OF_ONE_CALLER
    third = Caller("organization 3", Lane.UPLOADS)
    assert not turns.enter(third)  # all uploads are under way that memory has room for
    assert turns.enter(OTHER)  # and a search has a place all the same


def test_who_waits_is_served_in_turn_and_not_in_the_order_of_arrival() -> None:
    turns: Turns[str] = Turns()
    entered(turns, FLOOD)
    entered(turns, OTHER)
    for number in range(100):
        turns.wait(FLOOD, f"flood {number}")
    turns.wait(OTHER, "other 0")
    turns.wait(OTHER, "other 1")
    served = [turns.leave(FLOOD) for _ in range(2)] + [turns.leave(OTHER) for _ in range(2)]
    assert served == ["flood 0", "other 0", "flood 1", "other 1"]


def test_a_line_has_an_end() -> None:
    turns: Turns[int] = Turns()
    for number in range(limits.UPLOADS_WAITING):
        turns.wait(UPLOAD, number)
    with pytest.raises(UnavailableError) as caught:
        turns.wait(OTHER_UPLOAD, 0)
    assert caught.value.code == "too_busy"
    turns.wait(OTHER, 0)


def test_who_gives_up_is_not_served() -> None:
    turns: Turns[str] = Turns()
    entered(turns, FLOOD)
    turns.wait(FLOOD, "gone")
    turns.wait(FLOOD, "there")
    turns.give_up(FLOOD, "gone")
    assert turns.leave(FLOOD) == "there"
    assert turns.leave(FLOOD) is None


def test_tokens_of_an_organisation_are_one_caller_once_they_are_known() -> None:
    before = {caller_of(f"Bearer token-{number}", "10.0.0.1") for number in range(3)}
    assert len(before) == 3
    for number in range(3):
        remember_caller(f"token-{number}", 7)
    after = {caller_of(f"Bearer token-{number}", "10.0.0.1") for number in range(3)}
    assert after == {Caller("organization 7")}
    assert caller_of(None, "10.0.0.1") != caller_of(None, "10.0.0.2")


def test_a_search_is_answered_while_another_organisation_uploads_without_end() -> None:
    """200 uploads that do not end; the search of another needs none of them to."""
    ending = threading.Event()

    async def flood_and_search() -> tuple[str, int]:
        started = []

        def upload() -> None:
            started.append(threading.get_ident())
            ending.wait()

        with ThreadPoolExecutor(limits.REQUESTS_AT_ONCE) as executor:
            threads = RequestThreads(executor)

            async def ask(caller: Caller) -> str:
                current.set(caller)
                await threads.run(upload if caller.lane is Lane.UPLOADS else lambda: None)
                return caller.name

            half = limits.UPLOADS_WAITING // 2
            uploads = [asyncio.create_task(ask(UPLOAD)) for _ in range(half)]
            floods = [asyncio.create_task(ask(FLOOD)) for _ in range(200)]
            found = await asyncio.create_task(ask(OTHER))
            under_way = len(started)
            uploads[-1].cancel()  # a client that leaves the line
            ending.set()
            ended = await asyncio.gather(*uploads, *floods, return_exceptions=True)
            assert sum(isinstance(one, BaseException) for one in ended) == 1
        return found, under_way

    found, under_way = asyncio.run(flood_and_search())
    assert found == OTHER.name
    assert under_way <= limits.UPLOADS_OF_ONE_CALLER
