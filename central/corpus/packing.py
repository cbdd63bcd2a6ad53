"""Rows' bytes ↔ arrays, little-endian: n uint32 term ids, then n float32 weights; a vector."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from indexer.records.vectors import TermVector, Vector

_ID = np.dtype("<u4")
_FLOAT = np.dtype("<f4")


def pack_terms(terms: TermVector) -> bytes:
    """Ids, then weights."""
    return terms.ids.astype(_ID).tobytes() + terms.weights.astype(_FLOAT).tobytes()


def unpack_terms(data: bytes) -> TermVector:
    """What `pack_terms` packed, without copying."""
    half = len(data) // 2
    return TermVector(
        ids=np.frombuffer(data, _ID, count=half // _ID.itemsize),
        weights=np.frombuffer(data, _FLOAT, offset=half),
    )


def unpack_term_ids(data: bytes) -> NDArray[np.uint32]:
    """The first half of what `pack_terms` packed: ids alone, ascending; of several, one by one."""
    return np.frombuffer(data, _ID)


def term_counts(packed: Iterable[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Distinct term ids of some chunks, ascending, and in how many of the chunks each occurs."""
    ids = b"".join(data[: len(data) // 2] for data in packed)
    return np.unique(np.frombuffer(ids, _ID), return_counts=True)


def pack_vector(vector: Vector) -> bytes:
    """An embedding."""
    return vector.astype(_FLOAT).tobytes()


def unpack_vector(data: bytes) -> Vector:
    """What `pack_vector` packed, without copying."""
    return np.frombuffer(data, _FLOAT)
