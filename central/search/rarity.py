"""What document frequencies make of a query's terms: the query's side of BM25. Pure."""

from collections.abc import Mapping
from math import log

import numpy as np

from indexer.records.vectors import TermVector

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
