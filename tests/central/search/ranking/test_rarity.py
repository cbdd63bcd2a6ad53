from math import log

import pytest

from central.search.query_preparation import inverse_frequencies, query_vector


def test_rare_term_weighs_more_and_absent_one_nothing() -> None:
    inverse = inverse_frequencies({1: 1, 2: 10, 3: 0}, chunks=100)
    assert inverse[1] == pytest.approx(log(1 + 99.5 / 1.5))
    assert inverse[1] > inverse[2]
    assert 3 not in inverse


def test_very_common_term_is_dropped_if_a_rarer_one_is_there() -> None:
    assert inverse_frequencies({1: 5, 2: 60}, chunks=100).keys() == {1}
    assert inverse_frequencies({2: 60}, chunks=100).keys() == {2}


def test_query_vector_is_ascending_and_counts_occurrences() -> None:
    vector = query_vector({9: 1, 4: 2, 7: 1}, {9: 1.5, 4: 1.0})
    assert vector is not None
    assert vector.ids.tolist() == [4, 9]
    assert vector.weights.tolist() == [2.0, 1.5]
    assert query_vector({1: 1}, {}) is None
