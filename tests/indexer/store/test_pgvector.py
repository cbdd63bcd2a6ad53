"""What is special to the shared store: many processes, a server that may be away."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psycopg
import psycopg_pool
import pytest

from indexer.errors import StoreError, StoreUnavailableError
from indexer.records import EmbedderSpec
from indexer.store import open_store, pgvector
from indexer.store.pgvector import PgVectorStore, postgres_errors
from tests.indexer.store.points import (
    a_collection,
    a_point,
    dense_query,
    ids,
    lexical_query,
    unit,
)


def descendants(error: type[psycopg.Error]) -> set[type[psycopg.Error]]:
    return {error}.union(*(descendants(child) for child in error.__subclasses__()))


POOL_ERRORS = [psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed, psycopg_pool.TooManyRequests]


@pytest.mark.parametrize("foreign", [*POOL_ERRORS, psycopg.OperationalError])
def test_server_or_pool_that_does_not_answer_is_unavailable(foreign: type[Exception]) -> None:
    with pytest.raises(StoreUnavailableError), postgres_errors():
        raise foreign


def test_every_error_of_the_driver_becomes_a_store_error() -> None:
    for foreign in descendants(psycopg.Error):
        with pytest.raises(StoreError) as caught, postgres_errors():
            raise foreign
        away = issubclass(foreign, psycopg.OperationalError)
        assert isinstance(caught.value, StoreUnavailableError) == away, foreign


def test_server_that_is_away_is_noticed_within_seconds(tmp_path: Path) -> None:
    store = PgVectorStore(f"postgresql://postgres@/postgres?host={tmp_path}")
    start = time.monotonic()
    with pytest.raises(StoreUnavailableError, match="check that it runs"):
        store.check()
    assert time.monotonic() - start < 5
    store.close()


def test_vector_of_another_length_is_refused(postgres_url: str) -> None:
    store = PgVectorStore(postgres_url)
    with pytest.raises(StoreError, match="dimensions"):
        store.upsert(a_collection(embedder=EmbedderSpec("a", "b", 4)), [a_point()])
    store.close()


def test_tables_are_made_once_by_many_stores_at_the_same_time(postgres_url: str) -> None:
    embedder = EmbedderSpec("builtin", "made-by-many", 8)
    collections = [a_collection(repository=number, embedder=embedder) for number in range(6)]
    stores = [open_store(postgres_url) for _ in collections]

    with ThreadPoolExecutor(len(stores)) as threads:
        for done in [
            threads.submit(store.upsert, collection, [a_point()])
            for store, collection in zip(stores, collections, strict=True)
        ]:
            done.result()

    assert [len(list(stores[0].points(collection))) for collection in collections] == [1] * 6
    for store in stores:
        store.close()


def test_store_that_came_first_sees_what_another_made_later(postgres_url: str) -> None:
    collection = a_collection(embedder=EmbedderSpec("builtin", "made-later", 8))
    reader, writer = open_store(postgres_url), open_store(postgres_url)
    assert list(reader.points(collection)) == []
    point = a_point()
    writer.upsert(collection, [point])
    assert list(reader.points(collection)) == [(point.id, point.run)]
    reader.close()
    writer.close()


def test_point_with_common_words_alone_is_found_where_it_places(postgres_url: str) -> None:
    """The heavy term's candidates fill the list, yet a sum of light ones beats them."""
    store = PgVectorStore(postgres_url)
    collection = a_collection()
    rare = [a_point(weights={1: 0.25}) for _ in range(5)]
    common = a_point(weights={2: 2.2, 3: 2.2})
    store.upsert(collection, [*rare, common])

    query = lexical_query({1: 8.0, 2: 3.0, 3: 3.0}, limit=3)
    [hits] = store.search([collection], [query])

    assert ids(hits.lexical)[0] == common.id
    store.close()


def test_closed_store_is_unavailable(postgres_url: str) -> None:
    store = PgVectorStore(postgres_url)
    store.check()
    store.close()
    with pytest.raises(StoreUnavailableError):
        store.check()


def test_approximate_index_finds_nearly_what_the_exact_scan_finds(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PgVectorStore(postgres_url)
    embedder = EmbedderSpec("builtin", "approximate", 8)
    collections = [a_collection("acme", repository, embedder) for repository in (1, 2, 3)]
    rng = np.random.default_rng(5)
    for collection in collections:
        vectors = rng.standard_normal((700, 8))
        store.upsert(collection, [a_point(vector=unit(*vector)) for vector in vectors])
    queries = [dense_query(unit(*vector), limit=50) for vector in rng.standard_normal((10, 8))]

    exact = store.search(collections[:2], queries)
    monkeypatch.setattr(pgvector, "_EXACT_POINTS", 0)
    approximate = store.search(collections[:2], queries)

    shared = [
        len(set(ids(some.dense)) & set(ids(best.dense)))
        for some, best in zip(approximate, exact, strict=True)
    ]
    assert [len(hits.dense) for hits in approximate] == [50] * 10
    assert sum(shared) >= 0.95 * 500
    store.close()
