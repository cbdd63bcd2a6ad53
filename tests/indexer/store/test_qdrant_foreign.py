"""What others put into a collection that they may write to does no harm to who reads it."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from qdrant_client import models

from indexer.store import open_store
from indexer.store.base import VectorStore
from indexer.store.schema import DENSE
from tests.indexer.store.points import DIMENSIONS, a_collection, a_point, dense_query, ids, unit
from tests.indexer.store.qdrant_server import StandIn


@pytest.fixture
def store(stand_in: StandIn) -> Iterator[VectorStore]:
    opened = open_store(stand_in.url, api_key=stand_in.api_key)
    yield opened
    opened.close()


def test_points_of_another_form_are_found_to_be_in_excess_and_can_be_deleted(
    store: VectorStore, stand_in: StandIn
) -> None:
    collection, own = a_collection(), a_point()
    store.upsert(collection, [own])
    name = next(name for name in stand_in.held if f"~{collection.repository}~" in name)
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
