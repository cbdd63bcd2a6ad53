"""A pool that lends: everyone in turn, however much one of them asks for."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from central.fair_pool import FairPool
from tests.waiting import wait_until


def waiting(pool: FairPool[str]) -> int:
    return sum(map(len, pool._lines.values()))


def test_a_caller_that_waits_for_much_delays_another_by_one_turn_only() -> None:
    pool, turns = FairPool(["process"]), list[str]()

    def take(caller: str) -> None:
        with pool.lent(caller, seconds=60):
            turns.append(caller)

    def queued(executor: ThreadPoolExecutor, caller: str) -> None:
        before = waiting(pool)
        executor.submit(take, caller)
        wait_until(lambda: waiting(pool) > before)

    with ThreadPoolExecutor(8) as executor, pool.lent("greedy", seconds=1):
        for _ in range(5):
            queued(executor, "greedy")
        queued(executor, "modest")
    assert turns.index("modest") <= 1
    assert sorted(turns) == ["greedy"] * 5 + ["modest"]


def test_who_waits_in_vain_leaves_the_line() -> None:
    pool = FairPool([1])
    with pool.lent("one", seconds=1), pytest.raises(TimeoutError), pool.lent("other", seconds=0.01):
        pass
    assert waiting(pool) == 0
    with pool.lent("other", seconds=1) as item:
        assert item == 1


def test_what_fails_gives_its_item_back() -> None:
    pool = FairPool(["a"])
    with pytest.raises(OSError, match="gone"), pool.lent("one", seconds=1):
        raise OSError("gone")
    with pool.lent("two", seconds=1) as item:
        assert item == "a"
