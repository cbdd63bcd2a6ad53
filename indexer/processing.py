"""Files in, records with vectors out, in processes of their own.

Parsing runs C code of many authors over files of anybody: a process that dies takes one group of
files with it, which are then tried again one by one, and the one that kills is cut into windows.
"""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Final

from indexer.records import DegradeReason, EmbedderSpec, FileRecord
from indexer.worker import SourceFile, process_files, start

_GROUP_BYTES: Final = 96_000  # enough to keep a process busy for some 50 ms
_SMALL_RUN_BYTES: Final = 300_000  # one process is done before a second would have started
_MOST_WORKERS: Final = 8

Work = Callable[[Sequence[SourceFile]], list[FileRecord]]


class Processor:
    """A pool of processes that makes records. Close it; it is a context manager."""

    def __init__(
        self, *, embedder: EmbedderSpec, total_bytes: int, work: Work = process_files
    ) -> None:
        self._embedder = embedder
        self._work = work
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        self._workers = 1 if total_bytes < _SMALL_RUN_BYTES else min(cores, _MOST_WORKERS)
        # Before this process has threads a fork is safe, and it starts in no time.
        self._pool = self._new_pool("fork", self._workers)

    def __enter__(self) -> "Processor":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def records(self, files: Iterable[SourceFile]) -> Iterator[FileRecord]:
        """One record per file, in their order. Few groups are in memory at a time."""
        pending: deque[tuple[list[SourceFile], Future[list[FileRecord]]]] = deque()
        for group in _groups(files):
            pending.append((group, self._submit(group)))
            if len(pending) > 2 * self._workers:
                yield from self._finished(*pending.popleft())
        while pending:
            yield from self._finished(*pending.popleft())

    def _submit(self, group: list[SourceFile]) -> "Future[list[FileRecord]]":
        try:
            return self._pool.submit(self._work, group)
        except BrokenProcessPool:
            self._pool.shutdown()
            self._pool = self._new_pool("spawn", self._workers)
            return self._pool.submit(self._work, group)

    def _finished(
        self, group: list[SourceFile], future: "Future[list[FileRecord]]"
    ) -> Iterator[FileRecord]:
        try:
            yield from future.result()
        except BrokenProcessPool:
            for file in group:
                yield from self._alone(file)

    def _alone(self, file: SourceFile) -> list[FileRecord]:
        try:
            return self._submit([file]).result()
        except BrokenProcessPool:
            windows = replace(file, degraded=DegradeReason.PARSE_FAILED)
            return self._submit([windows]).result()

    def _new_pool(self, method: str, workers: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context(method),
            initializer=start,
            initargs=(self._embedder,),
        )


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
