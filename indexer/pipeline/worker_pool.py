"""Worker processes: a pool that replaces a process that dies, and one process for suspect tasks.

Workers run grammars, which are C code, over untrusted files: they may crash. They get no secrets,
and a limit of memory.
"""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar, cast

from indexer.bundle.encode import ExtractedFile, FileLine, encode_file
from indexer.errors import IndexerError
from indexer.pipeline.forkserver import FORKSERVER, Worker, WorkerDiedError, pickled, result
from indexer.process_group import INDEXING_MEMORY_BYTES
from indexer.records.files import (
    DegradeReason,
    SkipReason,
    SourceFile,
    TreeEntry,
    skipped_record,
)

_GROUP_BYTES: Final = 96_000  # keeps a process busy for about 50 ms
_SMALL_RUN_BYTES: Final = 300_000  # one process is done before a second would have started
_MAX_WORKERS: Final = 8
_ATTEMPTS: Final = 2

_DIED: Final = (WorkerDiedError, MemoryError)

_P = ParamSpec("_P")
_T = TypeVar("_T")
_log = logging.getLogger(__name__)

Extract = Callable[[Sequence[SourceFile]], list[ExtractedFile]]


def worker_count(total_bytes: int) -> int:
    """Return how many processes to use for files of `total_bytes` together."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return 1 if total_bytes < _SMALL_RUN_BYTES else min(cores, _MAX_WORKERS)


def skipped_line(entry: TreeEntry, reason: SkipReason) -> FileLine:
    """Return the line of a file that is not indexed."""
    return encode_file(skipped_record(entry, reason))


class WorkerPool:
    """A pool of worker processes; one alone is the first worker. Thread-safe.

    Leaving `with` by an exception waits for no process.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._first = FORKSERVER.first()
        self._workers = [self._first] if count == 1 else [FORKSERVER.forked() for _ in range(count)]
        self._idle: SimpleQueue[Worker | None] = SimpleQueue()  # None: to be replaced
        for worker in self._workers:
            self._idle.put(worker)
        # While a worker does a task, a thread pickles its next, another unpickles its last answer.
        self._threads = ThreadPoolExecutor(2 * count, thread_name_prefix="worker")
        self._is_abandoned = False
        self._isolating = threading.Lock()
        self._isolated: Worker | None = None

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._is_abandoned = kind is not None
        self._threads.shutdown(wait=not self._is_abandoned, cancel_futures=True)
        for worker in filter(None, (*self._workers, self._isolated)):
            if self._is_abandoned or worker is not self._first:  # which another pool may need
                worker.end()

    def extract(self, files: Iterable[SourceFile], extract: Extract) -> Iterator[ExtractedFile]:
        """Extract `files` in groups; one result for each, in order. Few groups are in memory.

        A file that kills its process is cut into windows; if that kills it too, it is skipped.
        Raises IndexerError if no process can be started.
        """
        pending: deque[tuple[list[SourceFile], Future[list[ExtractedFile]]]] = deque()
        for group in _groups(files):
            pending.append((group, self.submit(extract, group)))
            if len(pending) > 2 * self.count:
                yield from self._extracted(extract, *pending.popleft())
        while pending:
            yield from self._extracted(extract, *pending.popleft())

    def _extracted(
        self, extract: Extract, group: list[SourceFile], future: "Future[list[ExtractedFile]]"
    ) -> Iterator[ExtractedFile]:
        try:
            yield from future.result()
        except _DIED:
            for file in group:
                yield from self._extract_isolated(extract, file)

    def _extract_isolated(self, extract: Extract, file: SourceFile) -> list[ExtractedFile]:
        path = file.entry.path
        try:
            return self.run_isolated(extract, [file])
        except _DIED as exc:
            _log.warning("%s %s that parsed it; it is cut into windows", path, _cause(exc))
        degraded = replace(file, degraded=DegradeReason.PARSE_FAILED)
        try:
            return self.run_isolated(extract, [degraded])
        except _DIED as exc:
            _log.warning("%s %s that read it again; it is skipped", path, _cause(exc))
        reason = file.entry.skipped or SkipReason.UNPROCESSABLE
        return [ExtractedFile(skipped_line(file.entry, reason))]

    def submit(
        self, work: Callable[_P, _T], *arguments: _P.args, **more: _P.kwargs
    ) -> "Future[_T]":
        """Run a task. Its result raises WorkerDiedError if the process died, whatever the cause."""
        return self._threads.submit(self._run, work, arguments, more)

    def _run(self, work: Callable[..., _T], arguments: Sequence[Any], more: dict[str, Any]) -> _T:
        task = pickled(work, arguments, more)
        worker = self._idle.get()
        try:
            worker = worker or self._replacement()
            answer = worker.ask(task)
        except WorkerDiedError:
            worker = None
            raise
        finally:
            self._idle.put(worker)
        return cast("_T", result(answer))

    def _replacement(self) -> Worker:
        if self._is_abandoned:
            raise WorkerDiedError
        worker = FORKSERVER.forked()
        self._workers.append(worker)
        return worker

    def run_isolated(self, work: Callable[_P, _T], *arguments: _P.args, **more: _P.kwargs) -> _T:
        """Run a task in a process of its own, so that only this task can have killed it.

        Raises WorkerDiedError if it does, IndexerError if no process can be started.
        """
        with self._isolating:
            self._isolated = self._isolated or _checked_worker()
            try:
                return self._isolated.run(work, *arguments, **more)
            except WorkerDiedError:
                self._isolated = None
                raise


def _cause(exc: Exception) -> str:
    if isinstance(exc, MemoryError):
        most = f"{INDEXING_MEMORY_BYTES // 1024**2:,} MiB"
        return f"needs more than the {most} of memory of the process"
    return "crashed the process"


def _groups(files: Iterable[SourceFile]) -> Iterator[list[SourceFile]]:
    group: list[SourceFile] = []
    size = 0
    for file in files:
        group.append(file)
        size += len(file.content)
        if size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _checked_worker() -> Worker:
    """Return a worker that is known to have started.

    Raises IndexerError if it does not start, because no file has caused that.
    """
    for _ in range(_ATTEMPTS):
        worker = FORKSERVER.forked()
        try:
            worker.run(int)
        except WorkerDiedError as exc:  # or what forks it has died of another task
            died = exc
        else:
            return worker
    raise IndexerError(
        "worker processes end as soon as they start. See their output above, and check the "
        "memory limit of this machine"
    ) from died
