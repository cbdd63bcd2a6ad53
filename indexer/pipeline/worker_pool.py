"""Worker processes: a pool that is replaced when a process dies, and one for suspect tasks.

Workers run grammars, which are C code, over untrusted files: they may crash. They get no secrets,
and a limit of memory.
"""

import gc
import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final, ParamSpec, TypeVar

from indexer.bundle.encode import ExtractedFile, FileLine, encode_file
from indexer.errors import IndexerError
from indexer.limits import INDEXING_MEMORY_BYTES
from indexer.output import log
from indexer.pipeline.forkserver import start_forkserver
from indexer.process_group import CHILDREN, limit_memory
from indexer.records.files import (
    DegradeReason,
    SkipReason,
    SourceFile,
    TreeEntry,
    skipped_record,
)
from indexer.records.vectors import LocalModel

_GROUP_BYTES: Final = 96_000  # keeps a process busy for about 50 ms
_SMALL_RUN_BYTES: Final = 300_000  # one process is done before a second would have started
_MAX_WORKERS: Final = 8

_DIED: Final = (BrokenProcessPool, MemoryError)

_P = ParamSpec("_P")
_T = TypeVar("_T")
_log = logging.getLogger(__name__)

Extract = Callable[[Sequence[SourceFile]], list[ExtractedFile]]


def worker_count(total_bytes: int) -> int:
    """Return how many processes to use for files of `total_bytes` together."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return 1 if total_bytes < _SMALL_RUN_BYTES else min(cores, _MAX_WORKERS)


def extract_in_worker(
    files: Sequence[SourceFile],
    *,
    dimensions: int,
    batch_bytes: int,
    with_points: bool = False,
    model: LocalModel | None = None,
    record_fields: frozenset[str] = frozenset(),
) -> list[ExtractedFile]:
    """Call `worker.extract_files`, which a run's main process does not import."""
    from indexer.pipeline import worker

    extracted = worker.extract_files(
        files,
        dimensions=dimensions,
        batch_bytes=batch_bytes,
        with_points=with_points,
        model=model,
        record_fields=record_fields,
    )
    gc.collect(0)  # when next to nothing is left of the parse trees' objects
    return extracted


def skipped_line(entry: TreeEntry, reason: SkipReason) -> FileLine:
    """Return the line of a file that is not indexed."""
    return encode_file(skipped_record(entry, reason))


class WorkerPool:
    """A pool of worker processes. Thread-safe.

    Leaving `with` by an exception waits for no process.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        start_forkserver()
        self._replacing = threading.Lock()
        self._pool = _new_pool(count)
        self._isolating = threading.Lock()
        self._isolated_pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for pool in filter(None, (self._pool, self._isolated_pool)):
            pool.shutdown(wait=kind is None, cancel_futures=True)

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
        """Run a task. Its result raises BrokenProcessPool if a process died, whatever the cause."""
        with self._replacing:
            try:
                return self._pool.submit(work, *arguments, **more)
            except BrokenProcessPool:
                self._pool.shutdown()
                self._pool = _new_pool(self.count)
                return self._pool.submit(work, *arguments, **more)

    def run_isolated(self, work: Callable[_P, _T], *arguments: _P.args, **more: _P.kwargs) -> _T:
        """Run a task in a process of its own, so that only this task can have killed it.

        Raises BrokenProcessPool if it does, IndexerError if no process can be started.
        """
        with self._isolating:
            self._isolated_pool = self._isolated_pool or _started_pool()
            try:
                return self._isolated_pool.submit(work, *arguments, **more).result()
            except BrokenProcessPool:
                self._isolated_pool.shutdown()
                self._isolated_pool = None
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


def _new_pool(workers: int) -> ProcessPoolExecutor:
    """Start a pool with all its processes, so that none is started later."""
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("forkserver"),
        initializer=_prepare,
        initargs=(CHILDREN.number(),),
    )
    # A broken pool raises at the next task.
    with _signals_deferred(), suppress(BrokenProcessPool):
        for _ in range(workers):
            pool.submit(int)
    return pool


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Defer SIGINT and SIGTERM: a process that is half started would print a traceback."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    handlers = {
        number: signal.signal(number, lambda number, _: received.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])


def _started_pool() -> ProcessPoolExecutor:
    """Return a pool of one process that is known to have started.

    Raises IndexerError if it does not start, because no file has caused that.
    """
    pool = _new_pool(1)
    try:
        pool.submit(int).result()
    except BrokenProcessPool as exc:
        raise IndexerError(
            "worker processes end as soon as they start. See their output above, and check the "
            "memory limit of this machine"
        ) from exc
    return pool


def _prepare(group: int) -> None:
    """Set up a worker process.

    It joins the process group that never outlives the parent. The parent handles Ctrl-C and ends
    its workers. A parse makes many small objects at once and few cycles: they are collected after
    each group of files.
    """
    os.setpgid(0, group)
    parent = multiprocessing.parent_process()
    if parent and not parent.is_alive():  # the group was killed before this process joined it
        os._exit(1)
    limit_memory(os.getpid())
    log.to_standard_error()
    gc.freeze()
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
