"""Tasks in one thread beside the caller's."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, ParamSpec, TypeVar

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class BackgroundQueue(Generic[_Result]):
    """A bounded single-thread background queue that keeps order.

    At most `max_pending` tasks wait in memory. The owner must call `close`.
    """

    def __init__(self, name: str, *, max_pending: int) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._max_pending = max_pending
        self._pending: deque[Future[_Result]] = deque()

    def close(self, *, wait: bool) -> None:
        """Drop the tasks that have not begun; `wait` for the one that has."""
        self._executor.shutdown(wait=wait, cancel_futures=True)

    def submit(
        self, work: Callable[_P, _Result], *arguments: _P.args, **more: _P.kwargs
    ) -> list[_Result]:
        """Queue a task; blocks while too many are pending.

        Returns the results of earlier tasks that were not returned yet, in order. Raises what the
        first of them raised.
        """
        self._pending.append(self._executor.submit(work, *arguments, **more))
        results = []
        while len(self._pending) > self._max_pending or (self._pending and self._pending[0].done()):
            results.append(self._pending.popleft().result())
        return results

    def drain(self) -> Iterator[_Result]:
        """Yield the remaining results as they come. Raises what the first task raised."""
        while self._pending:
            yield self._pending.popleft().result()

    def finish(self) -> None:
        """Wait for the remaining tasks. Raises what the first of them raised."""
        for _ in self.drain():
            pass
