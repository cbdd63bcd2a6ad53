"""What is special to Qdrant: what it is told to make, and how that is called."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from qdrant_client import models

from indexer.errors import StoreError, StoreUnavailableError
from indexer.records.vectors import EmbedderSpec
from indexer.store import open_store
from indexer.store.base import Collection
from indexer.store.qdrant.collections import names_of
from tests.indexer.store.conftest import Server
from tests.indexer.store.points import OTHER, SMALL, a_collection, a_point, dense_query, ids, unit
from tests.indexer.store.qdrant.server import StandIn, running_stand_in


def physical(collection: Collection) -> str:
    return names_of(collection, "project").physical


def alias(collection: Collection) -> str:
    return names_of(collection, "project").alias


def test_collection_isolation_by_tenant(qdrant: Server) -> None:
    """Each project of each tenant has a collection of its own, called after both."""
    acme, rival = a_collection(), a_collection()
    store = qdrant.open()
    store.upsert(acme, [a_point()])
    store.upsert(rival, [a_point()])
    store.close()

    for collection in (acme, rival):
        organization = collection.organization
        assert qdrant.aliases(organization) == {
            f"codesearch_{organization}_project-1": physical(collection)
        }
        assert qdrant.collections(organization) == {physical(collection)}


def test_collection_per_organization_is_called_after_it(qdrant: Server) -> None:
    first = a_collection()
    second = a_collection(first.organization, repository=2)
    store = qdrant.open("?collections=organization")
    store.upsert(first, [a_point()])
    store.upsert(second, [a_point()])
    store.close()

    [(name, target)] = qdrant.aliases(first.organization).items()
    assert name == f"codesearch_{first.organization}"
    assert qdrant.collections(first.organization) == {target}
    assert re.fullmatch(rf"{name}~builtin_test_small_8_[0-9a-f]{{8}}", target)


def test_alias_follows_a_renamed_repository_at_its_next_upsert(qdrant: Server) -> None:
    old = a_collection()
    new = Collection(old.organization, "gateway", old.repository, old.embedder)
    store = qdrant.open()
    store.upsert(old, [a_point()])
    store.upsert(new, [a_point()])
    store.close()
    assert qdrant.aliases(old.organization) == {alias(new): physical(old)}


def test_alias_moves_when_the_embedders_collection_that_it_names_is_dropped(
    qdrant: Server,
) -> None:
    first = a_collection()
    second = a_collection(first.organization, embedder=OTHER)
    store = qdrant.open()
    store.upsert(first, [a_point()])
    store.upsert(second, [a_point()])
    assert qdrant.aliases(first.organization) == {alias(first): physical(first)}

    store.drop(first)
    assert qdrant.aliases(first.organization) == {alias(first): physical(second)}

    store.drop(second)
    assert qdrant.aliases(first.organization) == {}
    assert qdrant.collections(first.organization) == set()
    store.close()


def test_alias_of_an_organization_moves_when_no_repository_is_left_behind_it(
    qdrant: Server,
) -> None:
    first = a_collection()
    second = a_collection(first.organization, repository=2)
    moved = [replace(each, embedder=OTHER) for each in (first, second)]
    store = qdrant.open("?collections=organization")
    for collection in (first, second, *moved):
        store.upsert(collection, [a_point()])
    before, after = (names_of(each, "organization") for each in (first, moved[0]))

    store.drop(first)
    assert qdrant.aliases(first.organization) == {before.alias: before.physical}
    store.drop(second)
    assert qdrant.aliases(first.organization) == {after.alias: after.physical}
    store.close()


def test_collection_is_made_once_by_many_stores_at_the_same_time(qdrant: Server) -> None:
    collection = a_collection()
    stores = [qdrant.open() for _ in range(6)]
    with ThreadPoolExecutor(len(stores)) as threads:
        for done in [threads.submit(store.upsert, collection, [a_point()]) for store in stores]:
            done.result()
    assert len(list(stores[0].points(collection))) == 6
    for store in stores:
        store.close()


def test_collection_that_another_process_dropped_is_made_again(qdrant: Server) -> None:
    collection = a_collection()
    one, other = qdrant.open(), qdrant.open()
    one.upsert(collection, [a_point()])
    other.drop(collection)
    point = a_point()

    one.upsert(collection, [point])

    assert list(other.points(collection)) == [(point.id, point.run)]
    assert qdrant.aliases(collection.organization) == {alias(collection): physical(collection)}
    one.close()
    other.close()


def test_collection_of_another_length_is_named(qdrant: Server) -> None:
    collection = a_collection()
    shorter = {"dense": models.VectorParams(size=4, distance=models.Distance.DOT)}
    qdrant.ask(lambda client: client.create_collection(physical(collection), shorter))
    store = qdrant.open()
    with pytest.raises(StoreError, match=r"has 4 dimensions, and .* has 8: delete"):
        store.upsert(collection, [a_point()])
    store.close()


def test_vector_of_another_length_is_refused(qdrant: Server) -> None:
    store = qdrant.open()
    with pytest.raises(StoreError, match="expected dim: 4, got 8"):
        store.upsert(a_collection(embedder=EmbedderSpec("a", "b", 4)), [a_point()])
    store.close()


def test_collection_is_laid_out_for_tenants_and_memory(stand_in: StandIn) -> None:
    collection = a_collection()
    url = f"{stand_in.url}?shards=3&replicas=2"
    store = open_store(url, api_key=stand_in.api_key)
    store.upsert(collection, [a_point()])
    store.close()

    held = stand_in.held[physical(collection)]
    dense = held.created.vectors_config.params_map.map["dense"]
    assert (dense.size, dense.on_disk) == (SMALL.dimensions, True)
    assert dense.quantization_config.scalar.always_ram
    assert (held.created.shard_number, held.created.replication_factor) == (3, 2)
    assert held.created.on_disk_payload
    assert held.indexes.keys() == {"repository", "language", "type", "dirs"}
    assert held.indexes["repository"].params.is_tenant


def test_quantization_can_be_left_out(stand_in: StandIn) -> None:
    collection = a_collection()
    store = open_store(f"{stand_in.url}?quantization=none", api_key=stand_in.api_key)
    store.upsert(collection, [a_point()])
    store.close()
    created = stand_in.held[physical(collection)].created
    dense = created.vectors_config.params_map.map["dense"]
    assert not dense.HasField("quantization_config")
    assert not dense.on_disk


def test_indexes_that_a_killed_process_did_not_make_are_made(stand_in: StandIn) -> None:
    collection = a_collection()
    first = open_store(stand_in.url, api_key=stand_in.api_key)
    first.upsert(collection, [])
    first.close()
    held = stand_in.held[physical(collection)]
    del held.indexes["dirs"]

    second = open_store(stand_in.url, api_key=stand_in.api_key)
    second.upsert(collection, [])
    second.close()
    assert "dirs" in held.indexes


def test_all_collections_are_asked_at_the_same_time() -> None:
    """Each request waits for the three others."""
    with running_stand_in() as server:
        store = open_store(server.url)
        collections = [a_collection("acme", repository) for repository in range(4)]
        points = [a_point() for _ in collections]
        for collection, point in zip(collections, points, strict=True):
            store.upsert(collection, [point])
        together = Barrier(4)
        server.faults = [lambda _: together.wait(10)] * 4

        [hits] = store.search(collections, [dense_query(unit(1.0))])

        assert ids(hits.dense) == sorted(point.id for point in points)
        assert [name for name, _ in server.requests[-4:]] == ["QueryBatch"] * 4
        store.close()


def test_optimize_waits_until_everything_is_indexed(stand_in: StandIn) -> None:
    store = open_store(stand_in.url, api_key=stand_in.api_key)
    store.upsert(a_collection(), [a_point()])
    stand_in.statuses = [models.CollectionStatus.YELLOW, models.CollectionStatus.GREY]
    store.optimize()
    store.close()
    assert stand_in.statuses == []
    assert "Update" in [name for name, _ in stand_in.requests]


def test_nothing_is_contacted_before_the_first_use() -> None:
    with running_stand_in() as server:
        store = open_store(server.url)
        assert server.requests == []
        store.check()
        assert [name for name, _ in server.requests] == ["CollectionExists"]
        store.close()


def test_closed_store_is_unavailable(stand_in: StandIn) -> None:
    store = open_store(stand_in.url, api_key=stand_in.api_key)
    store.check()
    store.close()
    store.close()
    with pytest.raises(StoreUnavailableError, match="has been closed"):
        store.check()
    for count in (1, 2):
        collections = [a_collection() for _ in range(count)]
        with pytest.raises(StoreUnavailableError, match="has been closed"):
            store.search(collections, [dense_query(unit(1.0))])


def test_dropping_an_organization_leaves_neither_collection_nor_alias_of_it(
    qdrant: Server,
) -> None:
    own = a_collection()
    foreign = a_collection()
    store = qdrant.open()
    for collection in (own, a_collection(own.organization, repository=2), foreign):
        store.upsert(collection, [a_point()])
    store.drop_organization(own.organization)
    store.upsert(own, [a_point()])  # the name may be used again
    store.close()
    assert qdrant.collections(own.organization) == {physical(own)}
    assert qdrant.aliases(own.organization) == {alias(own): physical(own)}
    assert qdrant.collections(foreign.organization) == {physical(foreign)}
