"""Vectors of a run's chunks: those that central has, and those that are computed."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from tempfile import SpooledTemporaryFile
from typing import Final, Protocol

from indexer.bundle.lines import Extracted, FileLine, with_vectors
from indexer.errors import EmbeddingError
from indexer.pipeline.upload import Lane

_IN_MEMORY_BYTES: Final = 32_000_000  # of vectors that may come again; the rest is on disk
_ELSEWHERE: Final = -1  # central holds it

Known = Callable[[Collection[bytes]], Mapping[bytes, bytes | None]]
Embed = Callable[[Sequence[str]], list[bytes]]


@dataclass(frozen=True, slots=True)
class Found:
    """Packed vectors by digest, None where central holds it. `made`: by this question.

    With a `problem` of the embedder some digests are missing.
    """

    vectors: Mapping[bytes, bytes | None]
    made: frozenset[bytes]
    problem: EmbeddingError | None = None


class Vectors:
    """No digest is asked for or embedded twice. Not to be shared between threads.

    `known` answers which of at most `most` digests central holds, in a direct run with their
    vectors; `embed` makes the others, of `size` bytes each. Raises what `known` raises.
    """

    def __init__(self, *, known: Known, most: int, embed: Embed, size: int) -> None:
        self._known = known
        self._most = most
        self._embed = embed
        self._kept = _Kept(size)

    def close(self) -> None:
        """Let go of what is kept."""
        self._kept.close()

    def of(self, inputs: Mapping[bytes, str]) -> Found:
        """The vectors of embedder inputs, which come by their digest."""
        vectors = {digest: self._kept.get(digest) for digest in inputs if digest in self._kept}
        new = [digest for digest in inputs if digest not in vectors]
        for start in range(0, len(new), self._most):
            vectors.update(self._known(new[start : start + self._most]))
        lacking = [digest for digest in new if digest not in vectors]
        made, problem = self._made({digest: inputs[digest] for digest in lacking})
        vectors.update(made)
        self._kept.add({digest: vectors[digest] for digest in new if digest in vectors})
        return Found(vectors, frozenset(made), problem)

    def _made(
        self, inputs: Mapping[bytes, str]
    ) -> tuple[dict[bytes, bytes], EmbeddingError | None]:
        if not inputs:
            return {}, None
        digests = list(inputs)
        try:
            made = self._embed(list(inputs.values()))
        except EmbeddingError as problem:
            return {digests[index]: vector for index, vector in problem.done.items()}, problem
        return dict(zip(digests, made, strict=True)), None


class _Kept:
    """What was found: its vector may be needed again in another file, however large the run is."""

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
        if slot == _ELSEWHERE:
            return None
        self._file.seek(slot * self._size)
        return self._file.read(self._size)

    def add(self, vectors: Mapping[bytes, bytes | None]) -> None:
        self._file.seek(self._used * self._size)
        for digest, vector in vectors.items():
            if vector is None:
                self._slots[digest] = _ELSEWHERE
            else:
                self._file.write(vector)
                self._slots[digest] = self._used
                self._used += 1


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
