"""One thread beside the caller's: in order, bounded, and what it raises is not lost."""

from threading import Event

import pytest

from indexer.pipeline.upload import BackgroundQueue


def test_answers_come_once_and_in_the_order_of_the_tasks() -> None:
    with BackgroundQueue[int]("test", max_pending=2) as queue:
        answers = [answer for number in range(20) for answer in queue.submit(abs, -number)]
        assert len(answers) >= 18
        answers += queue.drain()
    assert answers == list(range(20))


def test_who_submits_waits_only_while_too_many_tasks_wait() -> None:
    begun, go_on = Event(), Event()

    def first() -> bool:
        begun.set()
        return go_on.wait(10)

    with BackgroundQueue[bool]("test", max_pending=2) as queue:
        assert queue.submit(first) == []
        assert begun.wait(10)
        assert queue.submit(bool) == []
        go_on.set()
        assert queue.submit(bool)[0] is True


def test_what_a_task_raises_is_raised_here() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    def submitted() -> None:
        with BackgroundQueue[None]("test", max_pending=1) as queue:
            queue.submit(fail)
            queue.finish()

    with pytest.raises(ZeroDivisionError):
        submitted()


def test_leaving_by_an_exception_waits_for_nothing_and_begins_nothing() -> None:
    begun, go_on, after = Event(), Event(), Event()

    def first() -> bool:
        begun.set()
        return go_on.wait(10)

    queue = BackgroundQueue[bool]("test", max_pending=2)

    def left() -> None:
        with queue:
            queue.submit(first)
            queue.submit(lambda: not after.set())
            assert begun.wait(10)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        left()
    go_on.set()
    queue.__exit__(None)  # now wait
    assert not after.is_set()
