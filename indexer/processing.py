"""Files in, their lines without vectors out, made in worker processes.

A process that dies takes the groups of files under way with it. These are then tried again one by
one, where a file can only kill itself.
"""

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Final

from indexer.bundle.encoding import encode_file
from indexer.bundle.lines import Extracted, FileLine, full_size, is_readable
from indexer.processes import Processes
from indexer.records import DegradeReason, FileRecord, SkipReason, SourceFile, TreeEntry

_GROUP_BYTES: Final = 96_000  # enough to keep a process busy for some 50 ms
_SMALL_RUN_BYTES: Final = 300_000  # one process is done before a second would have started
_MOST_WORKERS: Final = 8

_log = logging.getLogger(__name__)

Work = Callable[[Sequence[SourceFile]], list[Extracted]]


def workers_for(total_bytes: int) -> int:
    """How many processes it takes for files of so many bytes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return 1 if total_bytes < _SMALL_RUN_BYTES else min(cores, _MOST_WORKERS)


def process(files: Sequence[SourceFile], *, with_points: bool = False) -> list[Extracted]:
    """One for each file, in order; `with_points`: with what the run writes itself. For workers."""
    from indexer.worker import extract_files

    return extract_files(files, with_points=with_points)


class Processor:
    """Extracts files in `processes`."""

    def __init__(self, processes: Processes, work: Work = process) -> None:
        self._processes = processes
        self._work = work

    def extracted(self, files: Iterable[SourceFile]) -> Iterator[Extracted]:
        """One for each file, in their order. Few groups are in memory at a time.

        Raises IndexerError if no process can be started.
        """
        pending: deque[tuple[list[SourceFile], Future[list[Extracted]]]] = deque()
        for group in _groups(files):
            pending.append((group, self._processes.submit(self._work, group)))
            if len(pending) > 2 * self._processes.count:
                yield from self._finished(*pending.popleft())
        while pending:
            yield from self._finished(*pending.popleft())

    def _finished(
        self, group: list[SourceFile], future: "Future[list[Extracted]]"
    ) -> Iterator[Extracted]:
        try:
            yield from future.result()
        except BrokenProcessPool:
            for file in group:
                yield from self._alone(file)

    def _alone(self, file: SourceFile) -> list[Extracted]:
        """As it is, then as windows, then not at all."""
        path = file.entry.path
        try:
            return self._processes.alone(self._work, [file])
        except BrokenProcessPool:
            _log.warning("%s ended the process that read it; it is cut into windows", path)
        degraded = replace(file, degraded=DegradeReason.PARSE_FAILED)
        try:
            return self._processes.alone(self._work, [degraded])
        except BrokenProcessPool:
            _log.warning("%s ended the process that read it again; it is skipped", path)
        reason = file.entry.skipped or SkipReason.UNPROCESSABLE
        return [Extracted(skipped_line(file.entry, reason))]


def fitting(file: Extracted, *, dimensions: int, batch_bytes: int) -> Extracted:
    """The file, or what is sent instead if it is larger than a batch may be.

    With all its vectors, so that what central knows already does not decide what is indexed.
    """
    size = full_size(file.file, dimensions=dimensions)
    if size <= batch_bytes and is_readable(file.file.line):
        return file
    return Extracted(skipped_line(file.file.record, SkipReason.TOO_LARGE))


def skipped_line(entry: TreeEntry | FileRecord, reason: SkipReason) -> FileLine:
    """The line of a file that is left out."""
    return encode_file(FileRecord(entry.path, entry.mode, entry.blob, entry.size, skipped=reason))


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
