"""Files of a run in, their lines out: extracted, compared with what central knows, embedded."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from indexer.access import EmbedderAccess
from indexer.bundle.lines import FileLine
from indexer.client import Central, DirectRun, OpenedRun
from indexer.completing import Completer
from indexer.config import DirectSettings
from indexer.embedders import TextEmbedder, text_embedder
from indexer.embedding.base import Usage
from indexer.errors import EmbeddingError
from indexer.processes import Processes
from indexer.processing import Processor, fitting, process, workers_for
from indexer.records import SourceFile
from indexer.vectors import Vectors

if TYPE_CHECKING:
    from indexer.direct import DirectWriter


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
    from indexer.direct import DirectWriter
    from indexer.store.qdrant.direct import DirectCollection
    from indexer.store.qdrant.url import from_rest_url

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
