"""Clients that write to Qdrant themselves: to the collection that they were granted, no other."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import jwt
import pytest

from indexer.errors import ConfigurationError, DirectNotAvailableError, StoreError
from indexer.records.vectors import DirectUploadGrant
from indexer.store import open_store
from indexer.store.base import Collection, DirectStore
from indexer.store.qdrant.direct import DirectCollection
from indexer.store.qdrant.store import access_token
from tests.indexer.store.conftest import Server
from tests.indexer.store.points import OTHER, SMALL, a_collection, a_point, dense_query, ids, unit
from tests.indexer.store.qdrant.server import StandIn


@pytest.fixture
def store(qdrant: Server) -> Iterator[DirectStore]:
    opened = qdrant.open("?jwt=true")
    assert isinstance(opened, DirectStore)
    yield opened
    opened.close()


def direct(
    access: DirectUploadGrant, collection: Collection, api_key: str | None = None
) -> DirectCollection:
    return DirectCollection(
        access,
        api_key=api_key,
        embedder=collection.embedder,
        repository=collection.repository,
    )


def test_client_with_a_token_writes_what_the_service_finds(store: DirectStore) -> None:
    collection, points = a_collection(), [a_point() for _ in range(300)]
    access = store.grant(collection, seconds=60, has_store_secret=False)
    client = direct(access, collection)
    client.upsert(points)
    client.upsert(points)
    client.close()

    every = [point.id for point in points]
    assert store.existing(collection, every) == set(every)
    [hits] = store.search([collection], [dense_query(unit(1.0), limit=500)])
    assert set(ids(hits.dense)) == set(every)


def test_token_opens_no_other_collection(store: DirectStore) -> None:
    own, other = a_collection(), a_collection()
    access = store.grant(own, seconds=60, has_store_secret=False)
    elsewhere = store.grant(other, seconds=60, has_store_secret=False).collection
    client = direct(replace(access, collection=elsewhere), other)
    with pytest.raises(StoreError, match="does not allow"):
        client.upsert([a_point()])
    client.close()
    assert list(store.points(other)) == []


def test_token_cannot_drop_its_collection(store: DirectStore, qdrant: Server) -> None:
    collection = a_collection()
    access = store.grant(collection, seconds=60, has_store_secret=False)
    with_token = open_store(qdrant.url, api_key=access.token)
    with pytest.raises(StoreError, match="does not allow"):
        with_token.drop(collection)
    with_token.close()
    assert qdrant.collections(collection.organization) == {access.collection}


def test_token_ends(store: DirectStore, qdrant: Server) -> None:
    collection = a_collection()
    access = store.grant(collection, seconds=60, has_store_secret=False)
    assert qdrant.api_key
    past = datetime.now(UTC) - timedelta(minutes=5)
    ended = access_token(qdrant.api_key, collection=access.collection, expires_at=past)
    client = direct(replace(access, token=ended), collection)
    with pytest.raises(StoreError, match="does not accept"):
        client.upsert([a_point()])
    client.close()


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")  # of a real server
def test_token_says_what_it_opens_and_for_how_long(store: DirectStore, qdrant: Server) -> None:
    access = store.grant(a_collection(), seconds=60, has_store_secret=False)
    assert access.token
    assert access.expires_at
    assert qdrant.api_key
    assert qdrant.api_key not in repr(access)
    assert access.token not in repr(access)
    claims = jwt.decode(access.token, qdrant.api_key, ["HS256"])
    assert claims == {
        "exp": int(access.expires_at.timestamp()),
        "access": [{"collection": access.collection, "access": "rw"}],
    }
    assert 50 < claims["exp"] - time.time() <= 60


def test_client_with_a_secret_of_its_own_gets_no_token(store: DirectStore, qdrant: Server) -> None:
    collection, point = a_collection(), a_point()
    access = store.grant(collection, seconds=60, has_store_secret=True)
    assert (access.token, access.expires_at) == (None, None)
    with pytest.raises(ConfigurationError, match="set QDRANT_API_KEY"):
        direct(access, collection)
    client = direct(access, collection, api_key=qdrant.api_key)
    client.upsert([point])
    client.close()
    assert store.existing(collection, [point.id]) == {point.id}


def test_vector_of_another_length_is_refused_before_anything_is_written(
    store: DirectStore,
) -> None:
    collection = a_collection()
    access = store.grant(collection, seconds=60, has_store_secret=False)
    longer = replace(SMALL, dimensions=9)
    client = direct(access, replace(collection, embedder=longer))
    with pytest.raises(StoreError, match="8 dimensions, and builtin/test-small/9 has 9"):
        client.upsert([a_point()])
    client.close()


def test_grant_makes_the_collection_of_its_embedder(store: DirectStore, qdrant: Server) -> None:
    collection = a_collection()
    first = store.grant(collection, seconds=60, has_store_secret=False)
    second = store.grant(replace(collection, embedder=OTHER), seconds=60, has_store_secret=False)
    assert qdrant.collections(collection.organization) == {first.collection, second.collection}


def test_grant_makes_a_collection_anew_that_another_process_dropped(
    store: DirectStore, qdrant: Server
) -> None:
    collection = a_collection()
    store.grant(collection, seconds=60, has_store_secret=False)
    worker = qdrant.open()
    worker.drop(collection)
    worker.close()
    client = direct(store.grant(collection, seconds=60, has_store_secret=False), collection)
    client.upsert([a_point()])
    client.close()


def test_client_is_told_the_public_address(stand_in: StandIn) -> None:
    inside = f"{stand_in.url}?jwt=true&shards=1"
    public = "qdrants://vectors.example?transport=rest"
    for public_url, told in ((None, stand_in.url), (public, "qdrants://vectors.example:6333")):
        store = open_store(inside, api_key=stand_in.api_key, public_url=public_url)
        assert isinstance(store, DirectStore)
        access = store.grant(a_collection(), seconds=60, has_store_secret=True)
        assert access.url.partition("?")[0] == told
        store.close()


@pytest.mark.parametrize(
    ("options", "api_key", "has_store_secret", "reason"),
    [
        ("?jwt=true&collections=organization", "key", False, "collections=organization"),
        ("?collections=organization", "key", True, "collections=organization"),
        ("?jwt=true", None, False, "no QDRANT_API_KEY"),
        ("", "key", False, "jwt=true"),
    ],
)
def test_why_clients_may_not_write_is_said_without_asking_the_server(
    options: str, api_key: str | None, has_store_secret: bool, reason: str
) -> None:
    store = open_store(f"qdrant://127.0.0.1:1{options}", api_key=api_key)
    assert isinstance(store, DirectStore)
    with pytest.raises(DirectNotAvailableError, match=reason):
        store.check_direct_upload(has_store_secret=has_store_secret)
    with pytest.raises(DirectNotAvailableError, match=reason):
        store.grant(a_collection(), seconds=60, has_store_secret=has_store_secret)
    store.close()


def test_other_stores_are_none_that_clients_write_to() -> None:
    assert not isinstance(open_store("postgresql://nobody@127.0.0.1:1/none"), DirectStore)
