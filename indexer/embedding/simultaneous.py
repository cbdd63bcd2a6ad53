"""Several requests at the same time, until the first of them fails."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from indexer.errors import EmbedderUnavailableError

_Task = TypeVar("_Task")
Sleep = Callable[[float], None]


def do_all(
    tasks: Sequence[_Task], work: Callable[[_Task, Sleep], None], *, most: int
) -> Exception | None:
    """Do `work(task, sleep)` for each task, `most` at a time; what failed first, if anything did.

    After a failure no task is begun, and those that sleep give up. A single task is done in the
    caller's thread. The others are daemons: nothing waits for them when this is interrupted.
    """
    if len(tasks) < 2:
        most = 1
    crew = _Crew(tasks, work)
    if most == 1:
        crew.run()
        return crew.failure
    threads = [threading.Thread(target=crew.run, daemon=True) for _ in tasks[:most]]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    finally:
        crew.stop.set()
    return crew.failure


class _Crew:
    def __init__(self, tasks: Sequence[_Task], work: Callable[[_Task, Sleep], None]) -> None:
        self.stop = threading.Event()
        self.failure: Exception | None = None
        self._tasks = deque(tasks)
        self._work = work
        self._lock = threading.Lock()

    def run(self) -> None:
        """Take tasks until there are none or one fails."""
        while not self.stop.is_set():
            try:
                task = self._tasks.popleft()
            except IndexError:
                return
            try:
                self._work(task, self._sleep)
            except Exception as exc:  # noqa: BLE001 (the caller raises it)
                with self._lock:
                    self.failure = self.failure or exc
                self.stop.set()

    def _sleep(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise EmbedderUnavailableError("another request failed meanwhile")
