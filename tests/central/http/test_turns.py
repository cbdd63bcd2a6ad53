"""Who gets the next place: each caller in turn, and none has all."""

import asyncio
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from central.errors import UnavailableError
from central.http.asgi import RequestThreads
from central.http.lanes import (
    LATE_AT_ONCE,
    LATE_OF_ONE_CALLER,
    READ_FRONT_WAIT_SECONDS,
    READ_WAIT_SECONDS,
    READS_IN_FRONT,
    REQUESTS_OF_ONE_CALLER,
    RUNS_AT_ONCE,
    RUNS_OF_ONE_CALLER,
    UPLOADS_AT_ONCE,
    UPLOADS_OF_ONE_CALLER,
    UPLOADS_WAITING,
    Lane,
    lanes,
)
from central.http.turns import (
    LATE_SECONDS,
    REQUESTS_AT_ONCE,
    Caller,
    Turns,
    caller_of,
    current,
    remember_caller,
)
from central.settings.services import READS_AT_ONCE, SEARCHES_AT_ONCE

_Waiter = TypeVar("_Waiter")
LANES = lanes(searches_at_once=SEARCHES_AT_ONCE)
FLOOD = Caller("organization 1")
OTHER = Caller("organization 2")
UPLOAD = Caller("organization 1", Lane.UPLOADS)
OTHER_UPLOAD = Caller("organization 2", Lane.UPLOADS)


def entered(turns: Turns[Any], caller: Caller) -> int:
    """How many places the caller gets."""
    count = 0
    while turns.enter(caller):
        count += 1
    return count


def left(turns: Turns[_Waiter], caller: Caller) -> list[_Waiter]:
    """Who has a place once the caller gives one back?"""
    place = next(one for one in turns.places if one.caller == caller)
    return [waiter for waiter, _ in turns.leave(place)]


def test_one_caller_never_has_all_places() -> None:
    turns: Turns[str] = Turns(LANES)
    assert entered(turns, FLOOD) == REQUESTS_OF_ONE_CALLER
    assert turns.enter(OTHER)


def test_one_caller_never_has_all_places_of_uploads() -> None:
    turns: Turns[str] = Turns(LANES)
    assert entered(turns, UPLOAD) == UPLOADS_OF_ONE_CALLER
    assert entered(turns, OTHER_UPLOAD) == UPLOADS_OF_ONE_CALLER
    third = Caller("organization 3", Lane.UPLOADS)
    assert not turns.enter(third)  # all uploads are under way that memory has room for
    assert turns.enter(OTHER)  # and a search has a place all the same


def test_who_waits_is_served_in_turn_and_not_in_the_order_of_arrival() -> None:
    turns: Turns[str] = Turns(LANES)
    entered(turns, FLOOD)
    entered(turns, OTHER)
    for number in range(100):
        turns.wait(FLOOD, f"flood {number}")
    turns.wait(OTHER, "other 0")
    turns.wait(OTHER, "other 1")
    served = [*left(turns, FLOOD), *left(turns, FLOOD), *left(turns, OTHER), *left(turns, OTHER)]
    assert served == ["flood 0", "other 0", "flood 1", "other 1"]


def test_a_line_has_an_end_and_one_caller_fills_no_more_than_half_of_it() -> None:
    turns: Turns[int] = Turns(LANES)
    for caller in (UPLOAD, OTHER_UPLOAD):
        for number in range(UPLOADS_WAITING // 2):
            turns.wait(caller, number)
        with pytest.raises(UnavailableError) as caught:
            turns.wait(caller, 0)
        assert caught.value.code == "too_busy"
    with pytest.raises(UnavailableError):
        turns.wait(Caller("organization 3", Lane.UPLOADS), 0)
    turns.wait(OTHER, 0)


def test_webhooks_and_runs_have_threads_that_reads_never_get_and_are_served_first() -> None:
    turns: Turns[str] = Turns(LANES)
    assert entered(turns, FLOOD) + entered(turns, OTHER) == READS_AT_ONCE
    third = Caller("organization 3")
    assert not turns.enter(third)
    run = third._replace(lane=Lane.RUNS)
    assert entered(turns, run) == REQUESTS_AT_ONCE - READS_AT_ONCE
    turns.wait(third, "read")
    turns.wait(run, "run")
    assert left(turns, OTHER) == ["run"]
    assert left(turns, run) == ["read"]


def test_webhooks_runs_and_uploads_leave_threads_to_reads() -> None:
    turns: Turns[str] = Turns(LANES)
    busy = [
        Caller(f"organization {number}", lane)
        for lane in (Lane.RUNS, Lane.UPLOADS)
        for number in range(4)
    ]
    assert sum(entered(turns, one) for one in busy) == RUNS_AT_ONCE + UPLOADS_AT_ONCE
    assert turns.enter(OTHER)


def test_webhooks_of_one_caller_leave_threads_to_webhooks_of_others() -> None:
    turns: Turns[str] = Turns(LANES)
    assert entered(turns, FLOOD._replace(lane=Lane.RUNS)) == RUNS_OF_ONE_CALLER
    assert turns.enter(OTHER._replace(lane=Lane.RUNS))


def test_streams_of_many_leave_threads_to_reads_of_others() -> None:
    """They are served before reads, and wait for ever: with all threads, no read had one."""
    turns: Turns[str] = Turns(LANES)
    streams = [Caller(f"organization {number}", Lane.BEGUN) for number in range(4)]
    for one in streams:
        entered(turns, one)
        turns.wait(one, "stream")
    assert turns.enter(OTHER)


def test_one_place_that_is_given_back_may_let_two_go_on() -> None:
    """A run that waits for its own caller's place, and a read that waits for one of all reads'."""
    turns: Turns[str] = Turns(LANES)
    entered(turns, FLOOD)
    entered(turns, OTHER)
    turns.wait(FLOOD._replace(lane=Lane.RUNS), "run")
    turns.wait(Caller("organization 3"), "read")
    assert left(turns, FLOOD) == ["run", "read"]


@pytest.mark.parametrize("lane", [Lane.SEARCHES, Lane.TRACES, Lane.EXPORTS])
def test_what_computes_for_long_leaves_threads_to_all_else(lane: Lane) -> None:
    turns: Turns[str] = Turns(LANES)
    entered(turns, FLOOD._replace(lane=lane))
    entered(turns, OTHER._replace(lane=lane))
    assert not turns.enter(Caller("organization 3", lane))
    others = {Lane.READS, Lane.EXPORTS, *({Lane.SEARCHES} if lane is Lane.TRACES else ())}
    for other in others - {lane}:
        assert turns.enter(FLOOD._replace(lane=other))


def test_a_trace_takes_one_of_its_caller_s_places_for_searches() -> None:
    turns: Turns[str] = Turns(LANES)
    search, trace = FLOOD._replace(lane=Lane.SEARCHES), FLOOD._replace(lane=Lane.TRACES)
    assert entered(turns, search) == 2
    assert not turns.enter(trace)
    left(turns, search)
    assert turns.enter(trace)
    assert not turns.enter(search)
    assert turns.enter(OTHER._replace(lane=Lane.SEARCHES))


@pytest.mark.parametrize("at_once", [1, 2])
def test_traces_leave_searches_their_only_place(at_once: int) -> None:
    turns: Turns[str] = Turns(lanes(searches_at_once=at_once))
    assert turns.enter(FLOOD._replace(lane=Lane.TRACES))
    assert turns.enter(FLOOD._replace(lane=Lane.SEARCHES))


def test_a_trace_that_waits_is_served_before_searches_that_do() -> None:
    turns: Turns[str] = Turns(LANES)
    search, trace = FLOOD._replace(lane=Lane.SEARCHES), FLOOD._replace(lane=Lane.TRACES)
    entered(turns, search)
    turns.wait(search, "search")
    turns.wait(trace, "trace")
    turns.wait(trace, "another trace")
    assert left(turns, search) == ["trace"]
    assert left(turns, search) == ["search"]  # one trace at a time


@pytest.mark.parametrize("lane", [Lane.SEARCHES, Lane.EXPORTS])
def test_searches_and_exports_of_one_caller_leave_a_thread_to_those_of_others(lane: Lane) -> None:
    turns: Turns[str] = Turns(LANES)
    entered(turns, FLOOD._replace(lane=lane))
    assert turns.enter(OTHER._replace(lane=lane))


def test_traces_of_several_callers_take_turns() -> None:
    turns: Turns[str] = Turns(LANES)
    flood, other = (one._replace(lane=Lane.TRACES) for one in (FLOOD, OTHER))
    turns.enter(flood)
    for number in range(3):
        turns.wait(flood, f"flood {number}")
    turns.wait(other, "other")
    served = [*left(turns, flood), *left(turns, flood), *left(turns, other)]
    assert served == ["flood 0", "other", "flood 1"]


@pytest.mark.parametrize("lane", [Lane.READS, Lane.SEARCHES, Lane.TRACES, Lane.EXPORTS])
def test_the_first_in_the_line_of_a_caller_wait_until_their_turn_comes(lane: Lane) -> None:
    turns: Turns[int] = Turns(LANES)
    flood = FLOOD._replace(lane=lane)
    entered(turns, flood)
    seconds = [turns.wait(flood, number) for number in range(READS_IN_FRONT + 1)]
    assert seconds == [READ_FRONT_WAIT_SECONDS] * READS_IN_FRONT + [READ_WAIT_SECONDS]
    assert turns.wait(OTHER._replace(lane=lane), 0) == READ_FRONT_WAIT_SECONDS


class Clock:
    """Seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("lane", [Lane.SEARCHES, Lane.TRACES])
def test_who_waits_long_for_one_that_takes_long_goes_on_beside_it(lane: Lane) -> None:
    clock = Clock()
    turns: Turns[str] = Turns(LANES, clock)
    slow, other = FLOOD._replace(lane=lane), OTHER._replace(lane=lane)
    entered(turns, slow)
    entered(turns, other)
    clock.now = 0.1
    turns.wait(other, "other")
    clock.now = LATE_SECONDS
    assert turns.serve() == []  # it has waited for less
    clock.now += 0.1
    ((waiter, place),) = turns.serve()
    assert (waiter, place.caller) == ("other", other._replace(lane=Lane.LATE))
    turns.wait(other, "another")
    assert turns.leave(place) == []  # it must wait as long


def test_who_waits_long_for_many_that_take_little_goes_on_waiting() -> None:
    """More at once would slow all of them down."""
    clock = Clock()
    turns: Turns[int] = Turns(LANES, clock)
    trace = FLOOD._replace(lane=Lane.TRACES)
    turns.enter(trace)
    for number in range(3):
        turns.wait(trace, number)
    for number in range(3):
        clock.now += 0.9 * LATE_SECONDS
        assert turns.serve() == []
        assert left(turns, trace) == [number]


def test_a_trace_that_waits_long_for_searches_of_its_caller_goes_on_beside_them() -> None:
    clock = Clock()
    turns: Turns[str] = Turns(LANES, clock)
    entered(turns, FLOOD._replace(lane=Lane.SEARCHES))
    turns.wait(FLOOD._replace(lane=Lane.TRACES), "trace")
    clock.now = LATE_SECONDS
    assert [waiter for waiter, _ in turns.serve()] == ["trace"]


def test_who_waits_for_its_own_goes_on_waiting_though_another_takes_long() -> None:
    clock = Clock()
    turns: Turns[int] = Turns(LANES, clock)
    search, other = FLOOD._replace(lane=Lane.SEARCHES), OTHER._replace(lane=Lane.SEARCHES)
    turns.enter(other)
    own = entered(turns, search)
    for number in range(own + 1):
        turns.wait(search, number)
    clock.now = 0.6 * LATE_SECONDS
    for number in range(own):
        assert left(turns, search) == [number]
    clock.now = 1.1 * LATE_SECONDS
    assert turns.serve() == []


def test_only_few_go_on_beside_those_that_take_long() -> None:
    clock = Clock()
    turns: Turns[int] = Turns(LANES, clock)
    trace = FLOOD._replace(lane=Lane.TRACES)
    turns.enter(trace)
    for number in range(LATE_OF_ONE_CALLER + 1):
        turns.wait(trace, number)
    clock.now = LATE_SECONDS
    late = turns.serve()
    assert [waiter for waiter, _ in late] == list(range(LATE_OF_ONE_CALLER))
    (_, place), *_ = late
    assert [waiter for waiter, _ in turns.leave(place)] == [LATE_OF_ONE_CALLER]


def test_only_few_of_all_callers_go_on_beside_those_that_take_long() -> None:
    clock = Clock()
    turns: Turns[int] = Turns(LANES, clock)
    turns.enter(FLOOD._replace(lane=Lane.TRACES))
    for number in range(LATE_AT_ONCE + 1):
        turns.wait(Caller(f"organization {number}", Lane.TRACES), number)
    clock.now = LATE_SECONDS
    assert [waiter for waiter, _ in turns.serve()] == list(range(LATE_AT_ONCE))


def test_no_place_is_lost_when_callers_leave_at_any_moment() -> None:
    async def ask_and_leave() -> RequestThreads:
        threads = RequestThreads()
        chance = random.Random(1)  # noqa: S311

        async def ask(number: int) -> None:
            lane = chance.choice([Lane.TRACES, Lane.SEARCHES, Lane.READS])
            current.set(Caller(f"organization {number % 5}", lane))
            await threads.run(lambda: None)

        tasks = [asyncio.create_task(ask(number)) for number in range(300)]
        for task in chance.sample(tasks, 150):
            await asyncio.sleep(0)
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        while threads._turns.places:
            await asyncio.sleep(0.01)
        return threads

    threads = asyncio.run(asyncio.wait_for(ask_and_leave(), 60))
    assert threads._turns.serve() == []


def test_no_place_is_lost_when_no_thread_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of processes or of memory. What was refused does not run later."""

    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    ran: list[str] = []

    async def ask_twice() -> None:
        with ThreadPoolExecutor(1) as executor:
            threads = RequestThreads(executor)
            current.set(OTHER._replace(lane=Lane.TRACES))
            with monkeypatch.context() as patch:
                patch.setattr(threading.Thread, "start", no_thread)
                with pytest.raises(UnavailableError):
                    await threads.run(lambda: ran.append("refused"))
            await threads.run(lambda: ran.append("answered"))

    asyncio.run(asyncio.wait_for(ask_twice(), 60))
    assert ran == ["answered"]


def test_strangers_together_have_half_of_a_line() -> None:
    """Who shows no known token may have as many addresses as they like."""
    turns: Turns[int] = Turns(LANES)
    strangers = [Caller(f"address {number}", Lane.TRACES) for number in range(50)]
    for caller in strangers:
        turns.wait(caller, 0)
        turns.wait(caller, 1)
    with pytest.raises(UnavailableError):
        turns.wait(Caller("address 50", Lane.TRACES), 0)
    assert turns.wait(OTHER._replace(lane=Lane.TRACES), 0) == READ_FRONT_WAIT_SECONDS


def test_with_an_embedding_service_more_searches_run_at_once() -> None:
    """They wait for it most of the time."""
    turns: Turns[str] = Turns(lanes(searches_at_once=8))
    search = FLOOD._replace(lane=Lane.SEARCHES)
    assert entered(turns, search) == 6
    assert entered(turns, OTHER._replace(lane=Lane.SEARCHES)) == 2


def test_a_caller_in_two_lanes_of_one_rank_has_one_turn() -> None:
    turns: Turns[str] = Turns(LANES)
    entered(turns, FLOOD)
    entered(turns, OTHER)
    export = FLOOD._replace(lane=Lane.EXPORTS)
    third = Caller("organization 3")
    for waiting in (FLOOD, export, third):
        turns.wait(waiting, f"{waiting.name} {waiting.lane.name}")
    served = [one for _ in range(3) for one in left(turns, FLOOD)]
    assert served == ["organization 1 READS", "organization 3 READS", "organization 1 EXPORTS"]


def test_who_gives_up_is_not_served() -> None:
    turns: Turns[str] = Turns(LANES)
    entered(turns, FLOOD)
    turns.wait(FLOOD, "gone")
    turns.wait(FLOOD, "there")
    turns.leave_queue(FLOOD, "gone")
    assert left(turns, FLOOD) == ["there"]
    assert left(turns, FLOOD) == []


def test_tokens_of_an_organisation_are_one_caller_once_they_are_known() -> None:
    for number in range(3):
        remember_caller(f"token-{number}", 7)
    callers = {caller_of(f"Bearer token-{number}", f"10.0.0.{number}") for number in range(3)}
    assert callers == {Caller("organization 7")}


def test_who_makes_up_tokens_or_addresses_of_a_network_stays_one_caller() -> None:
    unknown = {caller_of(f"Bearer made-up-{number}", "10.0.0.1") for number in range(3)}
    assert unknown == {caller_of(None, "10.0.0.1")}
    assert caller_of(None, "10.0.0.1") != caller_of(None, "10.0.0.2")
    assert caller_of(None, "2001:db8:0:1::5") == caller_of(None, "2001:db8:0:1:ffff::6")
    assert caller_of(None, "2001:db8:0:1::5") != caller_of(None, "2001:db8:0:2::5")


def test_a_search_is_answered_while_another_organisation_uploads_without_end() -> None:
    """Uploads that do not end; the search of another needs none of them to."""
    ending = threading.Event()

    async def flood_and_search() -> tuple[str, int]:
        started = []

        def upload() -> None:
            started.append(threading.get_ident())
            ending.wait()

        with ThreadPoolExecutor(REQUESTS_AT_ONCE) as executor:
            threads = RequestThreads(executor)

            async def ask(caller: Caller) -> str:
                current.set(caller)
                await threads.run(upload if caller.lane is Lane.UPLOADS else lambda: None)
                return caller.name

            half = UPLOADS_WAITING // 2
            uploads = [asyncio.create_task(ask(UPLOAD)) for _ in range(half)]
            patient = FLOOD._replace(lane=Lane.BEGUN)  # refused by no busy machine
            floods = [asyncio.create_task(ask(patient)) for _ in range(100)]
            found = await asyncio.create_task(ask(OTHER))
            under_way = len(started)
            uploads[-1].cancel()  # a client that leaves the line
            ending.set()
            ended = await asyncio.gather(*uploads, *floods, return_exceptions=True)
            assert sum(isinstance(one, BaseException) for one in ended) == 1
        return found, under_way

    found, under_way = asyncio.run(flood_and_search())
    assert found == OTHER.name
    assert under_way <= UPLOADS_OF_ONE_CALLER
