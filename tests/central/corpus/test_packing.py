"""Packed terms and vectors come back as they were."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.embeddings import (
    pack_terms,
    pack_vector,
    term_counts,
    unpack_terms,
    unpack_vector,
)
from indexer.records.vectors import TermVector

TERMS = st.dictionaries(st.integers(1, 2**29), st.floats(0.5, 1000, width=32), max_size=20).map(
    lambda weights: TermVector(
        np.array(sorted(weights), dtype=np.uint32),
        np.array([weights[term] for term in sorted(weights)], dtype=np.float32),
    )
)


@given(terms=TERMS)
def test_terms_come_back(terms: TermVector) -> None:
    again = unpack_terms(pack_terms(terms))
    assert again.ids.tolist() == terms.ids.tolist()
    assert again.weights.tolist() == terms.weights.tolist()


@given(chunks=st.lists(TERMS, max_size=5))
def test_counts_are_of_chunks(chunks: list[TermVector]) -> None:
    ids, counts = term_counts([chunk.ids for chunk in chunks])
    flat = [term for chunk in chunks for term in chunk.ids.tolist()]
    assert dict(zip(ids.tolist(), counts.tolist(), strict=True)) == {
        term: flat.count(term) for term in flat
    }


def test_a_vector_comes_back() -> None:
    vector = np.array([0.5, -1, 0], dtype=np.float32)
    assert unpack_vector(pack_vector(vector)).tolist() == vector.tolist()
