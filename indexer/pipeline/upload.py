"""Batches on their way to central, in order and only so far ahead."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Generic, ParamSpec, TypeVar

from indexer.bundle.encode import encode_record
from indexer.bundle.gzip import compress
from indexer.bundle.lines import FileLine
from indexer.client.api import Central, OpenedRun
from indexer.records.files import Removal

_IN_FLIGHT: Final = 3  # batches in memory; more would not be sent any sooner
_TARGET_BYTES: Final = 2_000_000  # small enough that sending overlaps with making


class BatchUploader:
    """Batches of one run, numbered from 1. Leaving `with` by an exception waits for nothing.

    `add` and `finish` raise what sending raised.
    """

    def __init__(self, central: Central, run: OpenedRun) -> None:
        self._central = central
        self._run = run
        self._sending = Lane[None]("upload", ahead=_IN_FLIGHT)
        self._lines: list[bytes] = []
        self._size = 0
        self._batches = 0

    def __enter__(self) -> "BatchUploader":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._sending.__exit__(kind)

    def remove(self, path: str) -> None:
        """Queue a removal."""
        self._append(encode_record(Removal(path)))

    def add(self, file: FileLine) -> None:
        """Queue a file, which must not be larger than a batch."""
        self._append(file.line)

    def _append(self, line: bytes) -> None:
        full = self._size + len(line) > min(_TARGET_BYTES, self._run.batch_bytes)
        if full or len(self._lines) >= self._run.batch_files:
            self._cut()
        self._lines.append(line)
        self._size += len(line)

    def finish(self) -> int:
        """Send what is left and wait for all; answers how many batches there are."""
        self._cut()
        self._sending.finish()
        return self._batches

    def _cut(self) -> None:
        if not self._lines:
            return
        self._batches += 1
        body = b"".join(self._lines)
        self._lines, self._size = [], 0
        self._sending.submit(self._send, self._batches, body)

    def _send(self, number: int, body: bytes) -> None:
        self._central.put_batch(self._run.run_id, number, compress(body))


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
