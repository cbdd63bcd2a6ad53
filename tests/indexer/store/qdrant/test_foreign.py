"""What others put into a collection that they may write to does no harm to who reads it."""

import math
from collections.abc import Iterator
from uuid import UUID

import pytest
from qdrant_client import models

from indexer.store import open_store
from indexer.store.base import Collection, HybridQuery, VectorStore
from indexer.store.qdrant.points import ServerHits
from indexer.store.schema import DENSE, TERMS
from tests.indexer.store.points import DIMENSIONS, a_collection, a_point, dense_query, ids, unit
from tests.indexer.store.points import terms as terms_of
from tests.indexer.store.qdrant.server import StandIn


@pytest.fixture
def store(stand_in: StandIn) -> Iterator[VectorStore]:
    opened = open_store(stand_in.url, api_key=stand_in.api_key)
    yield opened
    opened.close()


def name_of(stand_in: StandIn, collection: Collection) -> str:
    """Where its points lie; other tests have repositories of the same key."""
    mine = f"codesearch_{collection.organization}~{collection.repository}~"
    [name] = [name for name in stand_in.held if name.startswith(mine)]
    return name


def test_points_of_another_form_are_found_to_be_in_excess_and_can_be_deleted(
    store: VectorStore, stand_in: StandIn
) -> None:
    collection, own = a_collection(), a_point()
    store.upsert(collection, [own])
    name = name_of(stand_in, collection)
    foreign = {"repository": str(collection.repository)}
    bare = UUID(int=2**100)
    stand_in.local.upsert(
        name,
        [
            models.PointStruct(id=5, vector={DENSE: [1.0] * DIMENSIONS}, payload=foreign),
            models.PointStruct(id=str(bare), vector={}, payload=foreign | {"run": "no uuid"}),
        ],
    )
    found = dict(store.points(collection))
    (number,) = found.keys() - {own.id, bare}
    assert found == {own.id: own.run, number: UUID(int=0), bare: UUID(int=0)}
    [hits] = store.search([collection], [dense_query(unit(1.0))])
    assert number in ids(hits.dense)
    assert store.vectors(collection, [own.id, bare]).keys() == {own.id}
    store.delete(collection, [number, bare])
    assert dict(store.points(collection)) == {own.id: own.run}


def test_scores_that_no_point_of_ours_has_are_no_hits(
    store: VectorStore, stand_in: StandIn
) -> None:
    """Else one collection could be above all others."""
    honest, spoilt = a_collection(), a_collection()
    own = a_point(vector=unit(1.0, 1.0), weights={7: 2.0})
    store.upsert(honest, [own])
    store.upsert(spoilt, [a_point()])
    name = name_of(stand_in, spoilt)
    for number, value in enumerate((1e30, -1e30, 1.5)):
        terms = models.SparseVector(indices=[7], values=[10 * value])
        point = models.PointStruct(
            id=number,
            vector={DENSE: [value] * DIMENSIONS, TERMS: terms},
            payload={"repository": str(spoilt.repository)},
        )
        stand_in.local.upsert(name, [point])
    query = HybridQuery(vector=unit(1.0), terms=terms_of({7: 3.0}), limit=10)
    [hits] = store.search([honest, spoilt], [query])
    assert own.id in ids(hits.dense)
    assert len(hits.dense) == len(hits.lexical) == 2
    assert max(hit.score for hit in hits.dense) <= 1.001
    assert ids(hits.lexical)[0] == own.id


def test_nor_are_those_that_have_no_order() -> None:
    """Qdrant takes infinite numbers, and NaN, over gRPC."""
    own = models.ScoredPoint(id=str(UUID(int=1)), version=0, score=0.5)
    spoilt = [own.model_copy(update={"score": score}) for score in (math.nan, math.inf, -math.inf)]
    found = ServerHits([*spoilt, own], [*spoilt, own])
    hits = found.hits(HybridQuery(vector=unit(1.0), terms=terms_of({7: 1.0}), limit=10))
    assert hits.dense == hits.lexical == [(UUID(int=1), 0.5)]
