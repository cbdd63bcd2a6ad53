"""A file's vector: the direction of the sum of its chunks' vectors, a byte for each number."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from indexer.records.vectors import Matrix, Vector

_HIGHEST: Final = 127


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


def file_vectors(chunks: Iterable[tuple[str, Vector]]) -> dict[str, bytes]:
    """Return the packed vectors of files by path; `chunks` are (path, vector) of all of theirs.

    A file whose chunks cancel each other out has none.
    """
    sums: dict[str, Vector] = {}
    for path, vector in chunks:
        sums[path] = sums[path] + vector if path in sums else vector
    packed = {path: pack_direction(vector) for path, vector in sums.items()}
    return {path: data for path, data in packed.items() if data is not None}
