"""Files in, lines of a batch out, made in processes of their own.

Parsing runs C code of many authors over files of anybody: a process that dies takes the groups of
files under way with it. These are then tried again one by one, where a file can only kill itself.
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
from dataclasses import replace
from multiprocessing import forkserver
from typing import Final

from indexer import log
from indexer.bundle.encoding import FileLine, encode_file
from indexer.errors import IndexerError
from indexer.records import (
    DegradeReason,
    EmbedderSpec,
    FileRecord,
    SkipReason,
    SourceFile,
    TreeEntry,
)

_GROUP_BYTES: Final = 96_000  # enough to keep a process busy for some 50 ms
_SMALL_RUN_BYTES: Final = 300_000  # one process is done before a second would have started
_MOST_WORKERS: Final = 8
_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
# Workers are forked from a process that has this imported and no threads.
_PRELOADED: Final = "indexer.preload"

_log = logging.getLogger(__name__)


Work = Callable[[EmbedderSpec, Sequence[SourceFile]], list[FileLine]]


def warm_up() -> None:
    """Start the process that workers come from, and return at once.

    It imports grammars and model while this process talks to git and to central.
    """
    multiprocessing.set_forkserver_preload([_PRELOADED])
    forkserver.ensure_running()


def process(embedder: EmbedderSpec, files: Sequence[SourceFile]) -> list[FileLine]:
    """One line per file, in order, with vectors. For worker processes."""
    from indexer.worker import process_files

    return process_files(embedder, files)


class Processor:
    """Processes that make lines. Leaving `with` by an exception waits for none of them."""

    def __init__(self, *, embedder: EmbedderSpec, total_bytes: int, work: Work = process) -> None:
        self._embedder = embedder
        self._work = work
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        self._workers = 1 if total_bytes < _SMALL_RUN_BYTES else min(cores, _MOST_WORKERS)
        warm_up()
        self._pool = _new_pool(self._workers)
        self._cell: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Processor":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for pool in filter(None, (self._pool, self._cell)):
            pool.shutdown(wait=kind is None, cancel_futures=True)

    def lines(self, files: Iterable[SourceFile]) -> Iterator[FileLine]:
        """One line per file, in their order. Few groups are in memory at a time.

        Raises EmbeddingError, and IndexerError if no process can be started.
        """
        pending: deque[tuple[list[SourceFile], Future[list[FileLine]]]] = deque()
        for group in _groups(files):
            pending.append((group, self._submit(group)))
            if len(pending) > 2 * self._workers:
                yield from self._finished(*pending.popleft())
        while pending:
            yield from self._finished(*pending.popleft())

    def _submit(self, group: list[SourceFile]) -> "Future[list[FileLine]]":
        try:
            return self._pool.submit(self._work, self._embedder, group)
        except BrokenProcessPool:
            self._pool.shutdown()
            self._pool = _new_pool(self._workers)
            return self._pool.submit(self._work, self._embedder, group)

    def _finished(
        self, group: list[SourceFile], future: "Future[list[FileLine]]"
    ) -> Iterator[FileLine]:
        try:
            yield from future.result()
        except BrokenProcessPool:
            for file in group:
                yield from self._alone(file)

    def _alone(self, file: SourceFile) -> list[FileLine]:
        """As it is, then as windows, then not at all."""
        path = file.entry.path
        try:
            return self._in_cell(file)
        except BrokenProcessPool:
            _log.warning("%s ended the process that read it; it is cut into windows", path)
        try:
            return self._in_cell(replace(file, degraded=DegradeReason.PARSE_FAILED))
        except BrokenProcessPool:
            _log.warning("%s ended the process that read it again; it is skipped", path)
        return [skipped_line(file.entry, file.entry.skipped or SkipReason.UNPROCESSABLE)]

    def _in_cell(self, file: SourceFile) -> list[FileLine]:
        """In a process that has nothing else to do, so that nobody else's death is laid to it."""
        self._cell = self._cell or _living_pool()
        try:
            return self._cell.submit(self._work, self._embedder, [file]).result()
        except BrokenProcessPool:
            self._cell.shutdown()
            self._cell = None
            raise


def skipped_line(entry: TreeEntry, reason: SkipReason) -> FileLine:
    """The line of a file that is left out."""
    return encode_file(FileRecord(entry.path, entry.mode, entry.blob, entry.size, skipped=reason))


def _new_pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("forkserver"),
        initializer=_prepare,
    )


def _living_pool() -> ProcessPoolExecutor:
    """A pool of one whose process is known to have started.

    Raises IndexerError: where no process starts, that is not the fault of any file.
    """
    pool = _new_pool(1)
    try:
        pool.submit(int).result()
    except BrokenProcessPool as exc:
        raise IndexerError(
            "worker processes end as soon as they start; what they wrote says why, else check "
            "the memory limit of this machine"
        ) from exc
    return pool


def _prepare() -> None:
    """Ctrl-C is for the parent, which then ends its workers; they never outlive it.

    What a parse finds is many small objects at once, in no cycle: looking for cycles after each 700
    would take a tenth of the time.
    """
    log.to_standard_error()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


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
