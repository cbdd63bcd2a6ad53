"""Vectors of a run's chunks: looked up at central, else computed; inserted into lines."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Final

from indexer.bundle.encode import ExtractedFile, FileLine, insert_vectors
from indexer.errors import EmbeddingError
from indexer.pipeline.background_queue import BackgroundQueue

if TYPE_CHECKING:
    from indexer.client.api import IndexingClient, OpenedRun
    from indexer.pipeline.direct_upload import PointWriter

_IN_MEMORY_BYTES: Final = 32_000_000  # of vectors that may be needed again; the rest is on disk
_AT_CENTRAL: Final = -1

LookupEmbeddings = Callable[[Collection[bytes]], Mapping[bytes, bytes | None]]
Embed = Callable[[Sequence[Any]], list[bytes]]  # of texts or, from a local model, vectors


@dataclass(frozen=True, slots=True)
class FoundVectors:
    """Packed vectors by digest, None if central holds the vector. `computed`: by this call.

    If the embedder failed with `problem`, some digests are missing.
    """

    vectors: Mapping[bytes, bytes | None]
    computed: frozenset[bytes]
    problem: EmbeddingError | None = None


class EmbeddingCache:
    """Looks up and embeds each digest once. Not to be shared between threads.

    `lookup` returns those of at most `max_digests` that central holds, in a direct run with their
    vectors; `embed` computes the others, of `size` bytes each. Raises what `lookup` raises.
    """

    def __init__(
        self, *, lookup: LookupEmbeddings, max_digests: int, embed: Embed, size: int
    ) -> None:
        self._lookup = lookup
        self._max_digests = max_digests
        self._embed = embed
        self._spooled = _SpooledVectors(size)

    def close(self) -> None:
        """Delete what is stored."""
        self._spooled.close()

    def vectors(self, inputs: Mapping[bytes, Any]) -> FoundVectors:
        """Return the vectors of embedder inputs, given by digest."""
        vectors = {
            digest: self._spooled.get(digest) for digest in inputs if digest in self._spooled
        }
        new = [digest for digest in inputs if digest not in vectors]
        for start in range(0, len(new), self._max_digests):
            vectors.update(self._lookup(new[start : start + self._max_digests]))
        missing = [digest for digest in new if digest not in vectors]
        computed, problem = self._computed({digest: inputs[digest] for digest in missing})
        vectors.update(computed)
        self._spooled.add({digest: vectors[digest] for digest in new if digest in vectors})
        return FoundVectors(vectors, frozenset(computed), problem)

    def _computed(
        self, inputs: Mapping[bytes, Any]
    ) -> tuple[dict[bytes, bytes], EmbeddingError | None]:
        if not inputs:
            return {}, None
        digests = list(inputs)
        try:
            vectors = self._embed(list(inputs.values()))
        except EmbeddingError as problem:
            return {digests[index]: vector for index, vector in problem.done.items()}, problem
        return dict(zip(digests, vectors, strict=True)), None


class _SpooledVectors:
    """The vectors found so far: another file may need them again, however large the run is."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._slots: dict[bytes, int] = {}
        self._used = 0
        self._file = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 (`close` ends it)

    def close(self) -> None:
        self._file.close()

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._slots

    def get(self, digest: bytes) -> bytes | None:
        slot = self._slots[digest]
        if slot == _AT_CENTRAL:
            return None
        self._file.seek(slot * self._size)
        return self._file.read(self._size)

    def add(self, vectors: Mapping[bytes, bytes | None]) -> None:
        self._file.seek(self._used * self._size)
        for digest, vector in vectors.items():
            if vector is None:
                self._slots[digest] = _AT_CENTRAL
            else:
                self._file.write(vector)
                self._slots[digest] = self._used
                self._used += 1


_WINDOW_CHUNKS: Final = 2_000  # one request to central takes 15 ms, whatever its size
_WINDOW_BYTES: Final = 16_000_000
_MAX_PENDING: Final = 2  # windows


@dataclass(frozen=True, slots=True)
class _Completed:
    lines: list[FileLine]
    problem: EmbeddingError | None


class EmbeddingStage:
    """Completes lines with vectors. Only the pending windows of files are in memory.

    `points`: writes the vectors to the store itself, and lines stay without them. Leaving `with` by
    an exception waits for nothing.
    """

    def __init__(self, cache: EmbeddingCache, points: "PointWriter | None" = None) -> None:
        self._cache = cache
        self._points = points
        self._queue = BackgroundQueue[_Completed]("vectors", max_pending=_MAX_PENDING)
        self._problem: EmbeddingError | None = None

    @classmethod
    def for_run(
        cls,
        client: "IndexingClient",
        run: "OpenedRun",
        embed: Embed,
        points: "PointWriter | None",
    ) -> "EmbeddingStage":
        """Return the stage of `run`, which looks up embeddings at central before it embeds."""
        cache = EmbeddingCache(
            lookup=partial(client.known_embeddings, run.run_id),
            max_digests=run.max_digests,
            embed=embed,
            size=run.embedder.vector_bytes,
        )
        return cls(cache, points)

    def __enter__(self) -> "EmbeddingStage":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._queue.close(wait=kind is None)
        self._cache.close()

    def lines(self, files: Iterable[ExtractedFile]) -> Iterator[FileLine]:
        """Yield the files' lines, in order; at the end all points are written.

        Raises EmbeddingError after the last file all of whose chunks have vectors; nothing is
        embedded after it. Raises StoreError, and what central and `files` raise.
        """
        try:
            for window in _windows(files):
                for completed in self._queue.submit(self._complete, window):
                    yield from _lines(completed)
            for completed in self._queue.drain():
                yield from _lines(completed)
        except EmbeddingError:
            self._finish_points()  # salvages the computed vectors
            raise
        self._finish_points()

    def _finish_points(self) -> None:
        if self._points:
            self._points.finish()

    def _complete(self, window: Sequence[ExtractedFile]) -> _Completed:
        if self._problem:
            return _Completed([], self._problem)
        inputs = {
            digest: input_
            for file in window
            for digest, input_ in zip(file.digests, file.inputs, strict=True)
        }
        found = self._cache.vectors(inputs)
        self._problem = found.problem
        uncounted = set(found.computed)
        lines = []
        for file in window:
            if not all(digest in found.vectors for digest in file.digests):
                continue  # the embedder failed
            computed = uncounted.intersection(file.digests)
            uncounted -= computed
            vectors = [found.vectors[digest] for digest in file.digests]
            lines.append(replace(self._with(file, vectors), embedded=len(computed)))
        return _Completed(lines, found.problem)

    def _with(self, file: ExtractedFile, vectors: Sequence[bytes | None]) -> FileLine:
        if self._points is None:
            return replace(file.file, line=insert_vectors(file.file.line, vectors))
        self._points.write(file, vectors)
        return file.file


def _lines(completed: _Completed) -> Iterator[FileLine]:
    yield from completed.lines
    if completed.problem:
        raise completed.problem


def _windows(files: Iterable[ExtractedFile]) -> Iterator[list[ExtractedFile]]:
    window: list[ExtractedFile] = []
    chunks = size = 0
    for file in files:
        window.append(file)
        chunks += file.file.chunks
        size += len(file.file.line)
        if chunks >= _WINDOW_CHUNKS or size >= _WINDOW_BYTES:
            yield window
            window, chunks, size = [], 0, 0
    if window:
        yield window
