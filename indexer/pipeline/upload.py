"""Batches on their way to central, in order and only so far ahead."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Generic, ParamSpec, TypeVar
from uuid import UUID

import numpy as np

from indexer.bundle.encode import encode_record
from indexer.bundle.gzip import compress
from indexer.bundle.lines import Extracted, FileLine, PointData
from indexer.client.api import Central, OpenedRun
from indexer.errors import CentralError
from indexer.records.files import Removal
from indexer.records.vectors import TermVector, point_id
from indexer.store.base import Point
from indexer.store.qdrant.direct import DirectCollection

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


_POINTS: Final = 256  # a request
_AHEAD: Final = 8  # requests in memory that wait for the store


class DirectWriter:
    """Writes the points of one run, in a thread. Leaving `with` by an exception drops the rest."""

    def __init__(self, collection: DirectCollection, run_id: str) -> None:
        self._collection = collection
        self._run = UUID(run_id)
        self._writing = Lane[None]("points", ahead=_AHEAD)
        self._waiting: list[Point] = []

    def __enter__(self) -> "DirectWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._writing.__exit__(kind)
        self._collection.close()

    def write(self, file: Extracted, vectors: Sequence[bytes | None]) -> None:
        """Queue a file's points; waits while many are. Raises StoreError, also of earlier ones.

        CentralError if a vector is not there.
        """
        record = file.file.record
        for ordinal, (data, vector) in enumerate(zip(file.points, vectors, strict=True)):
            if vector is None:
                raise CentralError("central holds a vector and did not say it: is it up to date?")
            self._waiting.append(
                Point(
                    id=point_id(self._run, record.path, ordinal),
                    run=self._run,
                    path=record.path,
                    language=record.language,
                    type=data.type,
                    vector=np.frombuffer(vector, "<f4"),
                    terms=_terms(data),
                )
            )
        while len(self._waiting) >= _POINTS:
            self._send()

    def finish(self) -> None:
        """Return when all points are written. Raises StoreError."""
        while self._waiting:
            self._send()
        self._writing.finish()

    def _send(self) -> None:
        points, self._waiting = self._waiting[:_POINTS], self._waiting[_POINTS:]
        self._writing.submit(self._collection.upsert, points)


def _terms(data: PointData) -> TermVector:
    return TermVector(np.frombuffer(data.terms, "<u4"), np.frombuffer(data.weights, "<f4"))
