"""Files of a run in, their lines out: extracted in worker processes, then embedded."""

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from indexer.bundle.encode import encode_file
from indexer.bundle.lines import Extracted, FileLine, full_size, is_readable
from indexer.client.api import Central, DirectRun, OpenedRun
from indexer.config.settings import DirectSettings
from indexer.embedding.base import Usage
from indexer.errors import EmbeddingError
from indexer.pipeline.embed import Completer, Vectors
from indexer.pipeline.text_embedder import TextEmbedder, text_embedder
from indexer.pipeline.worker_pool import Processes
from indexer.records.files import DegradeReason, FileRecord, SkipReason, SourceFile, TreeEntry
from indexer.records.vectors import EmbedderAccess

if TYPE_CHECKING:
    from indexer.pipeline.direct_upload import DirectWriter


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
    from indexer.pipeline.worker import extract_files

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


class Maker:
    """Makes the lines of one run: see `making`."""

    def __init__(
        self,
        run: OpenedRun,
        processor: Processor,
        embedder: TextEmbedder,
        completer: Completer,
        writer: "DirectWriter | None",
    ) -> None:
        self._run = run
        self._processor = processor
        self._embedder = embedder
        self._completer = completer
        self._writer = writer

    @property
    def usage(self) -> Usage:
        """What the embedder asked of its service."""
        return self._embedder.usage

    def check(self) -> None:
        """Return if the embedder here is the one that central asks for. Raises EmbeddingError."""
        self._embedder.check()

    def lines(self, files: Iterable[SourceFile]) -> Iterator[FileLine]:
        """The files' lines, in their order; a direct run's points are written when they end.

        Raises EmbeddingError after the last file that was done, StoreError, CentralError, and
        IndexerError if no process can be started.
        """
        fit = partial(
            fitting,
            dimensions=self._run.embedder.dimensions,
            batch_bytes=self._run.batch_bytes,
        )
        extracted = map(fit, self._processor.extracted(files))
        try:
            yield from self._completer.lines(extracted)
        except EmbeddingError:
            self._finish_points()  # so that what was paid for is kept
            raise
        self._finish_points()

    def _finish_points(self) -> None:
        if self._writer:
            self._writer.finish()


@contextmanager
def making(
    central: Central,
    run: OpenedRun,
    *,
    access: EmbedderAccess,
    direct: DirectSettings | None,
    total_bytes: int,
) -> Iterator[Maker]:
    """A maker for files of so many bytes. Leaving by an exception waits for nothing.

    Raises ConfigurationError and StoreError of a direct run.
    """
    with Processes(workers_for(total_bytes)) as processes:
        embedder = text_embedder(run.embedder, access, processes)
        vectors = Vectors(
            known=partial(central.known_embeddings, run.run_id),
            most=run.digests,
            embed=embedder.embed,
            size=4 * run.embedder.dimensions,
        )
        with (
            closing(vectors),
            _writer(run, run.direct, direct) if run.direct and direct else nullcontext() as writer,
            Completer(vectors, writer) as completer,
        ):
            work = partial(process, with_points=writer is not None)
            yield Maker(run, Processor(processes, work), embedder, completer, writer)


def _writer(run: OpenedRun, store: DirectRun, settings: DirectSettings) -> "DirectWriter":
    from indexer.store.qdrant import require_client

    require_client()
    from indexer.pipeline.direct_upload import DirectWriter
    from indexer.store.qdrant.address import from_rest_url
    from indexer.store.qdrant.direct import DirectCollection

    access = store.access
    if settings.url:  # a secret of one's own goes nowhere else
        access = replace(access, url=from_rest_url(settings.url))
    collection = DirectCollection(
        access,
        api_key=None if access.token else settings.api_key,
        embedder=run.embedder,
        repository=store.repository,
    )
    return DirectWriter(collection, run.run_id)
