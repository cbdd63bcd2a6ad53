"""A file's vector: the direction of the sum of its chunks' vectors, a byte for each number.

An apply has the vectors before it has the rows, so they wait in a temporary file.
"""

from collections.abc import Sequence
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Final, Self

import numpy as np

from indexer.records.vectors import Matrix, Vector

_HIGHEST: Final = 127
_SPOOLED_BYTES: Final = 8 * 1024 * 1024


def pack_direction(vector: Vector) -> bytes | None:
    """Return the vector's direction, or None of a zero vector, which has none."""
    most = float(np.abs(vector).max(initial=0.0))
    if not most:
        return None
    packed: bytes = np.rint(vector * (_HIGHEST / most)).astype(np.int8).tobytes()
    return packed


def unpack_directions(packed: Sequence[bytes], dimensions: int) -> Matrix:
    """Return a row of unit length for each of `packed`, which have `dimensions` numbers."""
    rows = np.frombuffer(b"".join(packed), np.int8).reshape(-1, dimensions).astype(np.float32)
    unit: Matrix = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
    return unit


class FileVectors:
    """The vectors of a run's files; the chunks of a file are added one after the other."""

    def __init__(self) -> None:
        # Closed by __exit__.
        self._file: IO[bytes] = SpooledTemporaryFile(max_size=_SPOOLED_BYTES)  # noqa: SIM115
        self._places: dict[str, tuple[int, int]] = {}
        self._path = ""
        self._sum: Vector | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, path: str, vector: Vector) -> None:
        """Add the vector of a chunk."""
        if path != self._path:
            self.finish()
            self._path = path
        self._sum = vector if self._sum is None else self._sum + vector

    def finish(self) -> None:
        """Store the last file's vector: call it before `of`."""
        packed = None if self._sum is None else pack_direction(self._sum)
        if packed:
            self._places[self._path] = self._file.tell(), len(packed)
            self._file.write(packed)
        self._sum = None

    def of(self, path: str) -> bytes | None:
        """Return the vector of a file, packed; None if it has none."""
        if path not in self._places:
            return None
        start, length = self._places[path]
        self._file.seek(start)
        return self._file.read(length)
