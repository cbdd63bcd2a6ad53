"""Random points of two organisations: every store answers as brute force does, for its own only."""

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.records.vectors import TermVector
from indexer.store import schema
from indexer.store.base import Collection, Hit, HybridQuery, Point, VectorStore, top_hits
from tests.indexer.store.points import (
    DIMENSIONS,
    TOLERANCE,
    a_collection,
    a_point,
    brute_force_dense,
    brute_force_lexical,
    terms,
    unit,
)
from tests.property_settings import examples

components = st.lists(
    st.floats(-1, 1, width=16).map(lambda x: round(x, 2)), min_size=0, max_size=DIMENSIONS
)
term_weights = st.dictionaries(
    st.sampled_from([1, 2, 3, 5, 0x1FFFFFFF]),
    st.floats(0.25, 2, width=16),
    max_size=4,
)
point_values = st.tuples(components, term_weights, st.integers(0, 1), st.integers(1, 3))
query_weights = st.dictionaries(
    st.sampled_from([1, 2, 3, 5, 0x1FFFFFFF]), st.floats(0.25, 12, width=16), max_size=5
)

Placed = list[tuple[Collection, Point]]


@examples(15)
@given(
    values=st.lists(point_values, max_size=30),
    asked=st.sets(st.integers(1, 3)),
    vector=components,
    weights=query_weights,
    limit=st.integers(1, 12),
)
def test_search_equals_brute_force_over_the_repositories_asked_for(
    store: VectorStore,
    values: list[tuple[list[float], dict[int, float], int, int]],
    asked: set[int],
    vector: list[float],
    weights: dict[int, float],
    limit: int,
) -> None:
    tenants = [a_collection().organization, a_collection().organization]
    placed = [
        (a_collection(tenants[tenant], repository), a_point(vector=unit(*parts), weights=held))
        for parts, held, tenant, repository in values
    ]
    for collection in {collection for collection, _ in placed}:
        store.upsert(collection, [point for place, point in placed if place == collection])
    query = HybridQuery(vector=unit(*vector), terms=terms(weights), limit=limit)

    collections = [a_collection(tenants[0], repository) for repository in asked]
    [hits] = store.search(collections, [query])

    own = [point for collection, point in placed if collection in collections]
    assert query.vector is not None
    expected = brute_force_dense(own, query.vector) if query.vector.any() else []
    assert_same_ranking(hits.dense, expected, limit)
    assert query.terms is not None
    assert_same_ranking(hits.lexical, brute_force_lexical(own, query.terms), limit)


def assert_same_ranking(hits: list[Hit], expected: list[Hit], limit: int) -> None:
    """Equal but for the order of scores that are closer than the stores' precision."""
    exact = {hit.id: hit.score for hit in expected}
    assert len(hits) == min(limit, len(expected))
    assert hits == top_hits(hits, limit)
    for hit, best in zip(hits, expected, strict=False):
        assert hit.score == pytest.approx(exact[hit.id], rel=TOLERANCE, abs=TOLERANCE)
        assert hit.score == pytest.approx(best.score, rel=TOLERANCE, abs=TOLERANCE)


def test_stored_vectors_come_back_within_the_stores_precision(store: VectorStore) -> None:
    collection = a_collection()
    rng = np.random.default_rng(7)
    points = [a_point(vector=unit(*rng.standard_normal(DIMENSIONS))) for _ in range(50)]
    store.upsert(collection, points)

    found = store.vectors(collection, [point.id for point in points])

    for point in points:
        assert found[point.id].dtype == np.float32
        np.testing.assert_allclose(found[point.id], point.vector, atol=5e-4)


def test_many_points_are_ranked_as_by_brute_force(store: VectorStore) -> None:
    collection = a_collection()
    rng = np.random.default_rng(11)
    points = [
        a_point(vector=unit(*rng.standard_normal(DIMENSIONS)), weights=random_terms(rng))
        for _ in range(1500)
    ]
    store.upsert(collection, points)
    store.optimize()

    recall = []
    for _ in range(10):
        query = HybridQuery(
            vector=unit(*rng.standard_normal(DIMENSIONS)),
            terms=terms({term: float(12 / term) for term in rng.choice(40, 4, replace=False) + 1}),
            limit=50,
        )
        [hits] = store.search([collection], [query])
        assert query.vector is not None
        assert query.terms is not None
        recall.append(overlap(hits.dense, brute_force_dense(points, query.vector)))
        assert_same_ranking(hits.lexical, brute_force_lexical(points, query.terms), query.limit)
    assert np.mean(recall) >= 0.99  # half-precision may swap neighbours at the cut


def random_terms(rng: np.random.Generator) -> dict[int, float]:
    drawn = np.unique(rng.zipf(1.5, size=8).clip(max=40))
    return {int(term): float(rng.uniform(0.25, schema.MAX_TERM_WEIGHT)) for term in drawn}


def overlap(hits: list[Hit], expected: list[Hit]) -> float:
    best: set[UUID] = {hit.id for hit in expected[: len(hits)]}
    return len(best & {hit.id for hit in hits}) / len(hits)


def test_term_ids_of_the_whole_range_are_kept_apart(store: VectorStore) -> None:
    collection = a_collection()
    low, high = a_point(weights={1: 1.0}), a_point(weights={0x1FFFFFFF: 1.0})
    store.upsert(collection, [low, high])
    query = TermVector(ids=np.array([0x1FFFFFFF], np.uint32), weights=np.ones(1, np.float32))
    [hits] = store.search([collection], [HybridQuery(vector=None, terms=query, limit=5)])
    assert [hit.id for hit in hits.lexical] == [high.id]
