"""Points, queries, hits and ids as a few long buffers: pickling each costs more than searching it.

Every `pack_…` function has an `unpack_…` inverse; that of `pack_vectors` is in `client`. In the
store process, views of the buffers take the place of NumPy's arrays: its import would be most of
the start (0.1 s), and 15 MB.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast
from uuid import UUID

from indexer.records.vectors import FLOAT32, UINT32, TermVector
from indexer.store.base import (
    Hit,
    HybridHits,
    HybridQuery,
    Point,
    PointFilter,
    has_terms,
    is_nonzero,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UUID_BYTES = 16
# Type codes of `array` and `memoryview`.
_FLOAT32_CODE: Final = "f"
_UINT32_CODE: Final = "I"


class PackedArrays(NamedTuple):
    """Concatenated arrays of one type and any lengths."""

    values: bytes
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


class PackedVectors(NamedTuple):
    """Ids, and as many vectors of one length as float32."""

    ids: bytes
    values: bytes


class PackedQuery(NamedTuple):
    """A HybridQuery without what omits a half of it: a zero vector, or terms without ids."""

    vector: bytes | None
    terms: tuple[bytes, bytes] | None  # ids, weights
    limit: int
    filter: PointFilter


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


def _pack_arrays(arrays: "Sequence[NDArray[Any]]", item: str) -> PackedArrays:
    """Concatenate arrays as numbers of one type (`records.vectors`)."""
    parts = [part.astype(item, copy=False).tobytes() for part in arrays]
    return PackedArrays(b"".join(parts), [len(part) for part in arrays])


def _unpack_arrays(packed: PackedArrays, item: Literal["f", "I"]) -> "Iterator[NDArray[Any]]":
    """Invert `_pack_arrays` for an item's type; yields views."""
    values = _view(packed.values, item)
    start = 0
    for length in packed.lengths:
        yield values[start : start + length]
        start += length


def _view(values: bytes, item: Literal["f", "I"]) -> "NDArray[Any]":
    """Return a view that has of an array what this package uses: items, slices, a length."""
    view: memoryview[Any] = memoryview(values)
    return cast("NDArray[Any]", view.cast(item))


def pack_points(points: Sequence[Point]) -> PackedPoints:
    """Pack points by column."""
    return PackedPoints(
        ids=pack_ids(point.id for point in points),
        runs=pack_ids(point.run for point in points),
        paths=[point.path for point in points],
        languages=[point.language for point in points],
        types=[point.type for point in points],
        vectors=_pack_arrays([point.vector for point in points], FLOAT32),
        term_ids=_pack_arrays([point.terms.ids for point in points], UINT32),
        term_weights=_pack_arrays([point.terms.weights for point in points], FLOAT32),
    )


def unpack_points(packed: PackedPoints) -> list[Point]:
    """Invert `pack_points`; vectors and terms are views."""
    terms = map(
        TermVector,
        _unpack_arrays(packed.term_ids, _UINT32_CODE),
        _unpack_arrays(packed.term_weights, _FLOAT32_CODE),
    )
    return list(
        map(
            Point,
            unpack_ids(packed.ids),
            unpack_ids(packed.runs),
            packed.paths,
            packed.languages,
            packed.types,
            _unpack_arrays(packed.vectors, _FLOAT32_CODE),
            terms,
        )
    )


def pack_queries(queries: Sequence[HybridQuery]) -> list[PackedQuery]:
    """Pack the arrays of every query."""
    return [
        PackedQuery(
            query.vector.astype(FLOAT32).tobytes() if is_nonzero(query.vector) else None,
            _packed_terms(query.terms) if has_terms(query.terms) else None,
            query.limit,
            query.filter,
        )
        for query in queries
    ]


def _packed_terms(terms: TermVector) -> tuple[bytes, bytes]:
    return terms.ids.astype(UINT32).tobytes(), terms.weights.astype(FLOAT32).tobytes()


def unpack_queries(packed: Sequence[PackedQuery]) -> list[HybridQuery]:
    """Invert `pack_queries`; vectors and terms are views."""
    return list(starmap(_unpacked_query, packed))


def _unpacked_query(
    vector: bytes | None, terms: tuple[bytes, bytes] | None, limit: int, wanted: PointFilter
) -> HybridQuery:
    return HybridQuery(
        vector=None if vector is None else _view(vector, _FLOAT32_CODE),
        terms=None if terms is None else _unpacked_terms(*terms),
        limit=limit,
        filter=wanted,
    )


def _unpacked_terms(ids: bytes, weights: bytes) -> TermVector:
    return TermVector(_view(ids, _UINT32_CODE), _view(weights, _FLOAT32_CODE))


def pack_vectors(vectors: dict[UUID, list[float]]) -> PackedVectors:
    """Pack ids and their vectors, which are of one length."""
    values = b"".join([array(_FLOAT32_CODE, vector).tobytes() for vector in vectors.values()])
    return PackedVectors(pack_ids(vectors), values)


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
