"""Fusion of dense and lexical scores, and the weight of a term by its rarity."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import log, sqrt
from typing import TypeVar

import numpy as np

from indexer.records.vectors import TermVector

Key = TypeVar("Key", bound=Hashable)

RANK_CONSTANT = 60  # Cormack, Clarke & Büttcher 2009


def floor(scores: Mapping[Key, float], *, limit: int) -> float:
    """The score of what a list of `limit` left out: its lowest; 0.0 where it left nothing out."""
    return min(scores.values()) if len(scores) >= limit else 0.0


def fuse_normalised(
    dense: Mapping[Key, float],
    lexical: Mapping[Key, float],
    *,
    dense_weight: float,
    lexical_floor: float = 0.0,
) -> dict[Key, float]:
    """Weighted sum of standard scores over the union of both lists."""
    keys = list(dict.fromkeys((*dense, *lexical)))
    dense_floor = min(dense.values(), default=0.0)
    d = _standard([dense.get(key, dense_floor) for key in keys])
    b = _standard([lexical.get(key, lexical_floor) for key in keys])
    if not dense or not lexical:
        dense_weight = 1.0 if dense else 0.0
    return {
        key: dense_weight * x + (1.0 - dense_weight) * y
        for key, x, y in zip(keys, d, b, strict=True)
    }


def reciprocal_ranks(keys: Iterable[Key]) -> dict[Key, float]:
    """1 / (60 + rank) of each key, the first having rank 1."""
    return {key: 1.0 / (RANK_CONSTANT + rank) for rank, key in enumerate(keys, 1)}


def merge_lists(lists: Sequence[Mapping[Key, float]]) -> dict[Key, float]:
    """One dense list out of one per embedder, in descending order.

    Cosines of different models cannot be compared: with several lists, ranks replace them.
    """
    filled = [scores for scores in lists if scores]
    if len(filled) <= 1:
        return dict(filled[0]) if filled else {}
    merged = {key: value for scores in filled for key, value in reciprocal_ranks(scores).items()}
    return dict(sorted(merged.items(), key=lambda item: -item[1]))


def _standard(values: Sequence[float]) -> list[float]:
    """Deviations from the mean in standard deviations; zeros where all values are equal."""
    if not values:
        return []
    mean = sum(values) / len(values)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    if deviation < 1e-12:
        return [0.0] * len(values)
    return [(value - mean) / deviation for value in values]


# A term in more than this share of all chunks says nothing where a rarer one is asked for too; its
# posting list is what a lexical search spends its time on.
COMMON_SHARE = 0.25


def inverse_frequencies(frequencies: Mapping[int, int], *, chunks: int) -> dict[int, float]:
    """ln(1 + (N - df + 0.5) / (df + 0.5)) of each term that occurs (BM25's, never negative).

    Terms in more than COMMON_SHARE of the chunks are left out if a rarer one is there.
    """
    occurring = {term: df for term, df in frequencies.items() if df > 0}
    rare = {term: df for term, df in occurring.items() if df <= COMMON_SHARE * chunks}
    return {
        term: log(1.0 + (max(chunks - df, 0) + 0.5) / (df + 0.5))
        for term, df in (rare or occurring).items()
    }


def query_vector(counts: Mapping[int, int], inverse: Mapping[int, float]) -> TermVector | None:
    """The query's side of BM25, or None where none of its terms occurs."""
    weights = sorted((term, inverse[term] * n) for term, n in counts.items() if term in inverse)
    if not weights:
        return None
    return TermVector(
        ids=np.array([term for term, _ in weights], dtype=np.uint32),
        weights=np.array([weight for _, weight in weights], dtype=np.float32),
    )
