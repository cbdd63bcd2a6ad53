from math import log

import pytest

from central.repositories.visibility import repository_snapshots
from central.search.query_preparation import document_frequencies, idf_weights, query_vector
from central.tenancy.models import Organization
from indexer.lexical import term_id
from tests.central.search.corpus import apply_files, credential_for, index_repository

ZEBRA = term_id("zebra")


def test_frequencies_are_summed_over_the_visible_repositories(acme: Organization) -> None:
    for name in ("one", "two"):
        index_repository(acme, name, {"a.py": "def zebra():\n    return stripes()\n"})
    everything = repository_snapshots(credential=credential_for(acme))
    single = repository_snapshots(credential=credential_for(acme, {"one"}))
    assert document_frequencies(everything, {ZEBRA}) == {ZEBRA: 2}
    assert document_frequencies(single, {ZEBRA}) == {ZEBRA: 1}


def test_frequencies_follow_the_generation(acme: Organization) -> None:
    repository = index_repository(acme, "one", {"a.py": "def horse():\n    return 1\n"})
    credential = credential_for(acme)
    before = repository_snapshots(credential=credential)
    assert document_frequencies(before, {ZEBRA}) == {ZEBRA: 0}
    apply_files(repository, {"b.py": "def zebra():\n    return 2\n"}, commit="b" * 40)
    after = repository_snapshots(credential=credential)
    assert document_frequencies(after, {ZEBRA}) == {ZEBRA: 1}


def test_known_frequencies_cost_no_query(
    acme: Organization, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    sight = repository_snapshots(credential=credential_for(acme))
    document_frequencies(sight, {ZEBRA})
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert document_frequencies(sight, {ZEBRA}) == {ZEBRA: 0}


def test_rare_term_weighs_more_and_absent_one_nothing() -> None:
    inverse = idf_weights({1: 1, 2: 10, 3: 0}, chunks=100)
    assert inverse[1] == pytest.approx(log(1 + 99.5 / 1.5))
    assert inverse[1] > inverse[2]
    assert 3 not in inverse


def test_very_common_term_is_dropped_if_a_rarer_one_is_there() -> None:
    assert idf_weights({1: 5, 2: 60}, chunks=100).keys() == {1}
    assert idf_weights({2: 60}, chunks=100).keys() == {2}


def test_query_vector_is_ascending_and_counts_occurrences() -> None:
    vector = query_vector({9: 1, 4: 2, 7: 1}, {9: 1.5, 4: 1.0})
    assert vector is not None
    assert vector.ids.tolist() == [4, 9]
    assert vector.weights.tolist() == [2.0, 1.5]
    assert query_vector({1: 1}, {}) is None
