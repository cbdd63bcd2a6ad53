"""No call crosses from one organisation, or one repository, into another: in any store."""

import pytest

from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection, HybridQuery, Point, VectorStore
from tests.indexer.store.conftest import REAL_QDRANT
from tests.indexer.store.points import SMALL, a_collection, a_point, ids, terms, unit

STORES = ["edge", "process", "pgvector", "qdrant", "qdrant_organization", REAL_QDRANT]

OTHER_EMBEDDER = EmbedderSpec("builtin", "test-other", SMALL.dimensions)


@pytest.mark.parametrize("open_again", STORES, indirect=True)
def test_no_call_crosses_organisations_or_repositories(store: VectorStore) -> None:
    """All hold equal vectors and terms, and two organisations a project of the same name."""
    acme, rival = (a_collection().organization for _ in range(2))
    own = Collection(acme, "api", 1, SMALL)
    others = [
        Collection(rival, "api", 2, SMALL),
        Collection(acme, "api-docs", 3, SMALL),
        Collection(acme, "api", 1, OTHER_EMBEDDER),
    ]
    held = {collection: [a_point(), a_point()] for collection in (own, *others)}
    for collection, points in held.items():
        store.upsert(collection, points)
    every = [point.id for points in held.values() for point in points]

    for collection, points in held.items():
        mine = {point.id for point in points}
        assert found(store, [collection]) == mine
        assert store.vectors(collection, every).keys() == mine
        assert store.existing(collection, every) == mine
        assert {point for point, _ in store.points(collection)} == mine

    store.delete(own, [*every, held[own][0].id])
    assert found(store, [own]) == set()
    store.upsert(own, held[own])
    store.drop(own)
    assert found(store, [own]) == set()
    for collection in others:
        assert unharmed(store, collection, held[collection])


def found(store: VectorStore, collections: list[Collection]) -> set[object]:
    """What either half finds, of everything that there could be."""
    query = HybridQuery(vector=unit(1.0), terms=terms({7: 1.0}), limit=50)
    [hits] = store.search(collections, [query])
    return {*ids(hits.dense), *ids(hits.lexical)}


def unharmed(store: VectorStore, collection: Collection, points: list[Point]) -> bool:
    return sorted(store.points(collection)) == sorted((point.id, point.run) for point in points)
