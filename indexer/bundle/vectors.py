"""Term vectors and embeddings from little-endian bytes, checked for a whole file at once.

One check of a file's joined chunks costs about as much as a check of a single chunk.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from indexer.errors import BundleError
from indexer.records.vectors import FLOAT32, UINT32, VALUE_BYTES, Matrix, TermVector, Vector

CHUNK_TERMS: Final = 16_000  # non-zero elements of a pgvector sparsevec
MAX_TERM_ID: Final = 2**29
MAX_WEIGHT: Final = 1000.0  # BM25 weights stay below k1 + 1; this bound only keeps sums finite
UNIT_TOLERANCE: Final = 1e-3


def decode_terms(ids: Sequence[bytes], weights: Sequence[bytes], *, where: str) -> list[TermVector]:
    """Decode one TermVector per chunk. Raises BundleError for the first invalid chunk."""
    _require_whole(ids, where, "terms")
    _require_whole(weights, where, "weights")
    counts = [len(part) // VALUE_BYTES for part in ids]
    _refuse_first(
        np.array([len(part) for part in ids]) != np.array([len(part) for part in weights]),
        where,
        "terms and weights must be of equal length",
    )
    _refuse_first(np.array(counts) > CHUNK_TERMS, where, f"terms must be at most {CHUNK_TERMS}")
    all_ids = np.frombuffer(b"".join(ids), UINT32)
    all_weights = np.frombuffer(b"".join(weights), FLOAT32)
    ends = list(accumulate(counts))
    _check_ids(all_ids, ends, where)
    bad_weight = ~((all_weights > 0) & (all_weights <= MAX_WEIGHT))  # NaN is neither
    _refuse_first(bad_weight, where, f"weights must be above 0 and at most {MAX_WEIGHT}", ends)
    return [
        TermVector(all_ids[end - count : end], all_weights[end - count : end])
        for count, end in zip(counts, ends, strict=True)
    ]


def _check_ids(ids: NDArray[np.uint32], ends: list[int], where: str) -> None:
    outside = (ids < 1) | (ids > MAX_TERM_ID)
    _refuse_first(outside, where, f"terms must be between 1 and {MAX_TERM_ID}", ends)
    descending = np.zeros(len(ids), dtype=bool)
    descending[1:] = ids[1:] <= ids[:-1]
    starts = np.array([0, *ends[:-1]], dtype=np.intp)
    descending[starts[starts < len(ids)]] = False  # a chunk's first id has no predecessor
    _refuse_first(descending, where, "terms must be ascending", ends)


def decode_vectors(
    vectors: Sequence[bytes | None], *, dimensions: int, where: str
) -> list["Vector | None"]:
    """Decode one vector per chunk, None for null. Raises BundleError for the first bad chunk."""
    present = [(index, vector) for index, vector in enumerate(vectors) if vector is not None]
    _require_whole([vector or b"" for vector in vectors], where, "vector")
    for index, vector in present:
        if len(vector) != VALUE_BYTES * dimensions:
            raise BundleError(
                f"{where}: chunks[{index}]: vector must have {dimensions} dimensions",
                code="batch_wrong_dimensions",
            )
    joined = b"".join(vector for _, vector in present)
    matrix = np.frombuffer(joined, FLOAT32).reshape(len(present), dimensions)
    bad = np.zeros(len(vectors), dtype=bool)
    bad[[index for index, _ in present]] = ~check_normalised(matrix)
    _refuse_first(bad, where, "vector must be finite and of unit length, or zero")
    read: list[Vector | None] = [None] * len(vectors)
    for row, (index, _) in zip(matrix, present, strict=True):
        read[index] = row
    return read


def check_normalised(matrix: Matrix) -> NDArray[np.bool_]:
    """Check for each row whether it is finite and of unit length, or zero."""
    with np.errstate(over="ignore", invalid="ignore"):  # infinite lengths are refused below
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    near_one = np.abs(lengths - 1) <= UNIT_TOLERANCE  # false for NaN and infinity
    sound: NDArray[np.bool_] = near_one | ~matrix.any(axis=1)
    return sound


def _require_whole(parts: Sequence[bytes], where: str, key: str) -> None:
    for index, part in enumerate(parts):
        if len(part) % VALUE_BYTES:
            raise BundleError(f"{where}: chunks[{index}]: {key} must be a whole number of values")


def _refuse_first(
    bad: NDArray[np.bool_], where: str, problem: str, ends: list[int] | None = None
) -> None:
    """Raise BundleError for the first true element: a chunk or, with `ends`, its element."""
    if not bad.any():
        return
    element = int(bad.argmax())
    chunk = element if ends is None else int(np.searchsorted(ends, element, side="right"))
    raise BundleError(f"{where}: chunks[{chunk}]: {problem}")
