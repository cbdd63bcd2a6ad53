"""Lines get their vectors: window by window, while the next files are extracted and others sent."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from indexer.bundle.lines import Extracted, FileLine, with_vectors
from indexer.errors import EmbeddingError
from indexer.lane import Lane
from indexer.vectors import Vectors

_WINDOW_CHUNKS: Final = 4_000  # a question to central costs 15 ms, whatever is asked
_WINDOW_BYTES: Final = 16_000_000
_AHEAD: Final = 2  # windows under way

PackedVectors = Sequence[bytes | None]


class PointWriter(Protocol):
    """Where a run's points go that does not leave them to central."""

    def write(self, file: Extracted, vectors: PackedVectors) -> None:
        """Have the points of a file written; raises what an earlier call failed with."""
        ...


@dataclass(frozen=True, slots=True)
class _Completed:
    lines: list[FileLine]
    problem: EmbeddingError | None


class Completer:
    """Leaving `with` by an exception waits for nothing. `writer`: lines then stay without vectors.

    Of what is under way only the windows are in memory.
    """

    def __init__(self, vectors: Vectors, writer: PointWriter | None = None) -> None:
        self._vectors = vectors
        self._writer = writer
        self._lane = Lane[_Completed]("vectors", ahead=_AHEAD)
        self._problem: EmbeddingError | None = None

    def __enter__(self) -> "Completer":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._lane.__exit__(kind)

    def lines(self, files: Iterable[Extracted]) -> Iterator[FileLine]:
        """The files' lines, in their order.

        Raises EmbeddingError after the last file of which every chunk has its vector, from when on
        nothing is embedded; and what central and `writer` raise.
        """
        for window in _windows(files):
            for completed in self._lane.submit(self._complete, window):
                yield from _lines(completed)
        for completed in self._lane.rest():
            yield from _lines(completed)

    def _complete(self, window: Sequence[Extracted]) -> _Completed:
        if self._problem:
            return _Completed([], self._problem)
        inputs = {
            digest: text
            for file in window
            for digest, text in zip(file.digests, file.inputs, strict=True)
        }
        found = self._vectors.of(inputs)
        self._problem = found.problem
        uncounted = set(found.made)
        lines = []
        for file in window:
            if not all(digest in found.vectors for digest in file.digests):
                continue  # there was a problem
            made = uncounted.intersection(file.digests)
            uncounted -= made
            vectors = [found.vectors[digest] for digest in file.digests]
            lines.append(replace(self._with(file, vectors), embedded=len(made)))
        return _Completed(lines, found.problem)

    def _with(self, file: Extracted, vectors: PackedVectors) -> FileLine:
        if self._writer is None:
            return replace(file.file, line=with_vectors(file.file.line, vectors))
        self._writer.write(file, vectors)
        return file.file


def _lines(completed: _Completed) -> Iterator[FileLine]:
    yield from completed.lines
    if completed.problem:
        raise completed.problem


def _windows(files: Iterable[Extracted]) -> Iterator[list[Extracted]]:
    window: list[Extracted] = []
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
