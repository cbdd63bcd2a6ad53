"""The vectors of a run by the digest of what is embedded: known to central, or made here, once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Final

from indexer.errors import EmbeddingError

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
