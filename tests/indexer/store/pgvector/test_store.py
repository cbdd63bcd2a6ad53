"""What is special to the shared store: many processes, a server that may be away."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psycopg
import psycopg_pool
import pytest
from psycopg import sql

from indexer.errors import ConfigurationError, StoreError, StoreUnavailableError
from indexer.records.vectors import EmbedderSpec
from indexer.store import open_store
from indexer.store.base import HybridQuery, Point
from indexer.store.pgvector import maintenance
from indexer.store.pgvector.maintenance import TRY_LOCK, Partition, VectorIndex, vector_indexes
from indexer.store.pgvector.statements import exists, partition, table
from indexer.store.pgvector.store import PgVectorStore, postgres_errors
from tests.indexer.store.points import (
    SMALL,
    TOLERANCE,
    a_collection,
    a_point,
    brute_force_dense,
    brute_force_lexical,
    dense_query,
    ids,
    lexical_query,
    terms,
    unit,
)


def descendants(error: type[psycopg.Error]) -> set[type[psycopg.Error]]:
    return {error}.union(*(descendants(child) for child in error.__subclasses__()))


POOL_ERRORS = [psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed, psycopg_pool.TooManyRequests]


@pytest.mark.parametrize(
    "rest", ["user:s3cret%zz@host/db", "user:s3cret@[::1/db", "user@host/db?pasword=s3cret"]
)
def test_an_address_that_the_driver_cannot_read_is_refused_before_it_logs_it(rest: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read") as caught:
        open_store(f"postgresql://{rest}")
    assert "s3cret" not in str(caught.value)
    assert caught.value.__suppress_context__  # the driver quotes what it cannot read


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


def test_each_organization_has_a_partition_of_its_own(postgres_url: str) -> None:
    store = PgVectorStore(postgres_url)
    first, second = a_collection(), a_collection()
    for collection in (first, second):
        store.upsert(collection, [a_point()])
    parts = [partition(SMALL, one.organization) for one in (first, second)]
    with psycopg.connect(postgres_url) as connection:
        counts = [
            connection.execute(sql.SQL("SELECT count(*) FROM {}").format(part)).fetchone()
            for part in parts
        ]
    assert counts == [(1,), (1,)]
    store.close()


def test_search_that_takes_too_long_is_given_up(postgres_url: str) -> None:
    store = PgVectorStore(postgres_url, search_seconds=0.1)
    collection = a_collection()
    store.upsert(collection, [a_point()])
    with psycopg.connect(postgres_url) as other:
        part = partition(SMALL, collection.organization)
        other.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(part))
        with pytest.raises(StoreUnavailableError, match="took too long"):
            store.search([collection], [dense_query(unit(1.0))])
    assert store.search([collection], [dense_query(unit(1.0))])[0].dense
    store.close()


class Indexed:
    """A store whose organisations get an index when they have more than a hundred points."""

    def __init__(self, url: str, model: str) -> None:
        self.url = url
        self.store = PgVectorStore(url, exact_points=100)
        self.embedder = EmbedderSpec("builtin", model, 8)
        self.collections = [a_collection("acme", number, self.embedder) for number in (1, 2, 3)]
        self.points: dict[int, list[Point]] = {}
        self.random = np.random.default_rng(5)

    def add(self, count: int) -> None:
        """So many points to each of the repositories."""
        for collection in self.collections:
            vectors = self.random.standard_normal((count, 8))
            points = [a_point(vector=unit(*vector)) for vector in vectors]
            self.points.setdefault(collection.repository, []).extend(points)
            self.store.upsert(collection, points)

    def indexes(self) -> list[VectorIndex]:
        with psycopg.connect(self.url) as connection:
            return vector_indexes(connection, partition(self.embedder, "acme"))

    def recall(self) -> float:
        """Of the first ten, in two of the three repositories."""
        vectors = [unit(*vector) for vector in self.random.standard_normal((20, 8))]
        found = self.store.search(
            self.collections[:2], [dense_query(vector, limit=50) for vector in vectors]
        )
        assert [len(hits.dense) for hits in found] == [50] * 20
        points = [*self.points[1], *self.points[2]]
        shared = [
            set(ids(hits.dense)[:10]) & set(ids(brute_force_dense(points, vector))[:10])
            for hits, vector in zip(found, vectors, strict=True)
        ]
        return sum(map(len, shared)) / 200


@pytest.fixture
def indexed(postgres_url: str, request: pytest.FixtureRequest) -> Iterator[Indexed]:
    made = Indexed(postgres_url, request.node.name)
    yield made
    made.store.close()


def test_upkeep_indexes_an_organization_that_has_grown(indexed: Indexed) -> None:
    indexed.add(30)
    indexed.store.maintain()
    assert indexed.indexes() == []

    indexed.add(670)
    indexed.store.maintain()

    [index] = indexed.indexes()
    assert (index.is_valid, index.lists) == (True, 90)
    assert indexed.recall() >= 0.95


def test_upkeep_makes_the_index_anew_when_there_are_twice_as_many_points(indexed: Indexed) -> None:
    indexed.add(100)
    indexed.store.maintain()
    [before] = indexed.indexes()
    indexed.add(60)
    indexed.store.maintain()
    assert indexed.indexes() == [before]

    indexed.add(150)
    indexed.store.maintain()

    [after] = indexed.indexes()
    assert (before.lists, after.lists) == (34, 60)


def test_upkeep_reads_no_points_where_hardly_any_have_changed(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.add(300)
    indexed.store.maintain()
    indexed.add(20)
    counted: list[object] = []
    compose = maintenance._of

    def composed(part: Partition, statement: str) -> sql.Composed:
        counted.extend([part.name] if "count(*)" in statement else [])
        return compose(part, statement)

    monkeypatch.setattr(maintenance, "_of", composed)
    indexed.store.maintain()
    [index] = indexed.indexes()
    assert not [name for name in counted if index.name.startswith(f"{name}_")]


def test_upkeep_replaces_an_index_whose_build_did_not_end(indexed: Indexed) -> None:
    indexed.add(100)
    indexed.store.maintain()
    [index] = indexed.indexes()
    with psycopg.connect(indexed.url) as connection:
        connection.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)",
            [f"codesearch.{index.name}"],
        )
    assert not indexed.indexes()[0].is_valid
    assert indexed.recall() == 1.0

    indexed.store.maintain()

    assert indexed.indexes() == [index]


def test_upkeep_leaves_it_to_the_process_that_is_at_it(indexed: Indexed) -> None:
    indexed.add(100)
    with psycopg.connect(indexed.url, autocommit=True) as other:
        other.execute(TRY_LOCK)
        indexed.store.maintain()
        assert indexed.indexes() == []
        other.execute("SELECT pg_advisory_unlock_all()")
    indexed.store.maintain()
    assert len(indexed.indexes()) == 1


@pytest.mark.parametrize("repositories", [1, 3])
def test_index_of_terms_finds_exactly_the_best(postgres_url: str, repositories: int) -> None:
    """Without an upkeep the planner knows nothing of the points; the answer is the same."""
    store = PgVectorStore(postgres_url, exact_points=0)
    collections = [a_collection(f"exact-{repositories}", number) for number in (1, 2, 3)]
    random = np.random.default_rng(11)
    points = [
        a_point(
            weights={t: w for t, w in enumerate(random.random(14) * 2.2, 1) if w > 2.2 * t / 20}
        )
        for _ in range(900)
    ]
    for collection, part in zip(
        collections, (points[:300], points[300:600], points[600:]), strict=True
    ):
        store.upsert(collection, part)
    store.maintain()
    queries = [
        lexical_query({term: float(random.integers(1, 9)) for term in range(1, count)}, limit=20)
        for count in (2, 3, 5, 8, 14)
    ]

    found = store.search(collections[:repositories], queries)

    for hits, query in zip(found, queries, strict=True):
        assert query.terms is not None
        best = brute_force_lexical(points[: 300 * repositories], query.terms)[:20]
        assert [hit.score for hit in hits.lexical] == pytest.approx(
            [hit.score for hit in best], abs=TOLERANCE
        )
    store.close()


PLAIN_TABLE = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS codesearch;
CREATE TABLE {table} (
    id uuid PRIMARY KEY, organization text NOT NULL, repository bigint NOT NULL, run uuid NOT NULL,
    language text NOT NULL, type text NOT NULL, dirs text[] NOT NULL, vector halfvec(8) NOT NULL,
    term_ids int[] NOT NULL, terms sparsevec(1000000000) NOT NULL
);
INSERT INTO {table} VALUES (
    {id}, {organization}, 1, {id}, 'python', 'function', '{{src,src/a.py}}', '[1,0,0,0,0,0,0,0]',
    '{{7}}', '{{7:1}}/1000000000'
)
"""


@pytest.mark.parametrize("occasion", ["write", "upkeep"])
def test_plain_table_of_an_earlier_version_is_partitioned(postgres_url: str, occasion: str) -> None:
    embedder = EmbedderSpec("builtin", f"plain-before-{occasion}", 8)
    collection = a_collection("acme", embedder=embedder)
    old, new = a_point(), a_point()
    with psycopg.connect(postgres_url) as connection:
        connection.execute(
            sql.SQL(PLAIN_TABLE).format(
                table=table(embedder), id=sql.Literal(old.id), organization=sql.Literal("acme")
            )
        )
    store = PgVectorStore(postgres_url)
    query = HybridQuery(vector=unit(1.0), terms=terms({7: 1.0}), limit=5)
    before = store.search([collection], [query])
    assert ids(before[0].dense) == ids(before[0].lexical) == [old.id]

    if occasion == "write":
        store.upsert(a_collection("other", embedder=embedder), [new])
    else:
        store.maintain()

    assert store.search([collection], [query]) == before
    with psycopg.connect(postgres_url) as connection:
        assert exists(connection, partition(embedder, "acme"))
    store.close()


def test_a_partition_that_another_process_dropped_is_made_again(postgres_url: str) -> None:
    collection, first, second = a_collection(), a_point(), a_point()
    own, other = PgVectorStore(postgres_url), PgVectorStore(postgres_url)
    try:
        own.upsert(collection, [first])
        other.drop_organization(collection.organization)
        assert list(own.points(collection)) == []
        own.upsert(collection, [second])
        assert [point for point, _ in own.points(collection)] == [second.id]
    finally:
        own.close()
        other.close()
