"""One thread beside the caller's: in order, bounded, and what it raises is not lost."""

from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from indexer.pipeline.background_queue import BackgroundQueue


@pytest.fixture
def queue() -> Iterator[BackgroundQueue[Any]]:
    queue = BackgroundQueue[Any]("test", max_pending=2)
    yield queue
    queue.close(wait=True)


def test_answers_come_once_and_in_the_order_of_the_tasks(queue: BackgroundQueue[int]) -> None:
    answers = [answer for number in range(20) for answer in queue.submit(abs, -number)]
    assert len(answers) >= 18
    answers += queue.drain()
    assert answers == list(range(20))


def test_who_submits_waits_only_while_too_many_tasks_wait(queue: BackgroundQueue[bool]) -> None:
    begun, go_on = Event(), Event()

    def first() -> bool:
        begun.set()
        return go_on.wait(10)

    assert queue.submit(first) == []
    assert begun.wait(10)
    assert queue.submit(bool) == []
    go_on.set()
    assert queue.submit(bool)[0] is True


def test_what_a_task_raises_is_raised_here(queue: BackgroundQueue[None]) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    def submitted() -> None:
        queue.submit(fail)
        queue.finish()

    with pytest.raises(ZeroDivisionError):
        submitted()


def test_a_close_without_waiting_begins_nothing(queue: BackgroundQueue[bool]) -> None:
    begun, go_on, after = Event(), Event(), Event()

    def first() -> bool:
        begun.set()
        return go_on.wait(10)

    queue.submit(first)
    queue.submit(lambda: not after.set())
    assert begun.wait(10)
    queue.close(wait=False)  # the first task still runs
    go_on.set()
    queue.close(wait=True)
    assert not after.is_set()
