"""Work beside its caller's: in one thread, in order, and only so far behind."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, ParamSpec, TypeVar

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class Lane(Generic[_Result]):
    """A thread that does one task after the other. Leaving `with` by an exception drops the rest.

    At most `ahead` tasks wait in memory.
    """

    def __init__(self, name: str, *, ahead: int) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._ahead = ahead
        self._pending: deque[Future[_Result]] = deque()

    def __enter__(self) -> "Lane[_Result]":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._executor.shutdown(wait=kind is None, cancel_futures=True)

    def submit(
        self, work: Callable[_P, _Result], *arguments: _P.args, **more: _P.kwargs
    ) -> list[_Result]:
        """Have it done; waits while too many are waiting.

        Returns what earlier tasks answered and is not told yet, in their order. Raises what the
        first of them raised.
        """
        self._pending.append(self._executor.submit(work, *arguments, **more))
        answers = []
        while len(self._pending) > self._ahead or (self._pending and self._pending[0].done()):
            answers.append(self._pending.popleft().result())
        return answers

    def rest(self) -> Iterator[_Result]:
        """What the others answer, as they do. Raises what the first of them raised."""
        while self._pending:
            yield self._pending.popleft().result()

    def finish(self) -> None:
        """Wait for the others. Raises what the first of them raised."""
        for _ in self.rest():
            pass
