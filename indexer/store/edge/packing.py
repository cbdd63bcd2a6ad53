"""Points, hits and ids as a few long buffers: pickling each costs more than searching it.

Every `pack_…` function has an `unpack_…` inverse.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from indexer.records.vectors import TermVector, Vector
from indexer.store.base import Hit, HybridHits, Point

_UUID_BYTES = 16


class PackedArrays(NamedTuple):
    """Concatenated arrays of one type and any lengths."""

    values: NDArray[Any]
    lengths: list[int]


class PackedPoints(NamedTuple):
    """Points by column."""

    ids: bytes
    runs: bytes
    paths: list[str]
    languages: list[str]
    types: list[str]
    vectors: PackedArrays
    term_ids: PackedArrays
    term_weights: PackedArrays


class PackedHits(NamedTuple):
    """A ranked list: ids, and scores as doubles."""

    ids: bytes
    scores: bytes


def pack_ids(ids: Iterable[UUID]) -> bytes:
    """Concatenate ids, 16 bytes each."""
    return b"".join([point.bytes for point in ids])


def unpack_ids(packed: bytes) -> list[UUID]:
    """Invert `pack_ids`."""
    return [
        UUID(bytes=packed[start : start + _UUID_BYTES])
        for start in range(0, len(packed), _UUID_BYTES)
    ]


def pack_arrays(arrays: Sequence[NDArray[Any]]) -> PackedArrays:
    """Concatenate arrays."""
    values = np.concatenate(arrays) if arrays else np.empty(0)
    return PackedArrays(values, [len(part) for part in arrays])


def unpack_arrays(packed: PackedArrays) -> Iterator[NDArray[Any]]:
    """Invert `pack_arrays`; yields views."""
    start = 0
    for length in packed.lengths:
        yield packed.values[start : start + length]
        start += length


def pack_points(points: Sequence[Point]) -> PackedPoints:
    """Pack points by column."""
    return PackedPoints(
        ids=pack_ids(point.id for point in points),
        runs=pack_ids(point.run for point in points),
        paths=[point.path for point in points],
        languages=[point.language for point in points],
        types=[point.type for point in points],
        vectors=pack_arrays([point.vector for point in points]),
        term_ids=pack_arrays([point.terms.ids for point in points]),
        term_weights=pack_arrays([point.terms.weights for point in points]),
    )


def unpack_points(packed: PackedPoints) -> list[Point]:
    """Invert `pack_points`."""
    terms = map(TermVector, unpack_arrays(packed.term_ids), unpack_arrays(packed.term_weights))
    return list(
        map(
            Point,
            unpack_ids(packed.ids),
            unpack_ids(packed.runs),
            packed.paths,
            packed.languages,
            packed.types,
            unpack_arrays(packed.vectors),
            terms,
        )
    )


def pack_vectors(vectors: dict[UUID, Vector]) -> tuple[bytes, PackedArrays]:
    """Pack ids and their vectors."""
    return pack_ids(vectors), pack_arrays(list(vectors.values()))


def unpack_vectors(packed: tuple[bytes, PackedArrays]) -> dict[UUID, Vector]:
    """Invert `pack_vectors`."""
    ids, vectors = packed
    return dict(zip(unpack_ids(ids), unpack_arrays(vectors), strict=True))


def pack_answers(answers: Sequence[HybridHits]) -> list[tuple[PackedHits, PackedHits]]:
    """Pack both lists of every query."""
    return [(_pack_hits(hits.dense), _pack_hits(hits.lexical)) for hits in answers]


def unpack_answers(packed: Sequence[tuple[PackedHits, PackedHits]]) -> list[HybridHits]:
    """Invert `pack_answers`."""
    return [HybridHits(_unpack_hits(dense), _unpack_hits(lexical)) for dense, lexical in packed]


def _pack_hits(hits: Sequence[Hit]) -> PackedHits:
    scores = array("d", [hit.score for hit in hits])
    return PackedHits(pack_ids(hit.id for hit in hits), scores.tobytes())


def _unpack_hits(packed: PackedHits) -> list[Hit]:
    return list(map(Hit, unpack_ids(packed.ids), array("d", packed.scores)))
