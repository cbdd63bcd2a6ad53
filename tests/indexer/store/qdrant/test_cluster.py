"""Three real Qdrant nodes, some of which are killed: nothing that was acknowledged is lost."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest

from indexer.errors import StoreUnavailableError
from indexer.store import open_store
from indexer.store.base import Collection, Point, VectorStore
from indexer.store.qdrant.collections import names_of
from tests.indexer.store.points import a_collection, a_point, dense_query, ids, unit
from tests.indexer.store.qdrant.cluster import KEY, OPTIONS, Cluster, Node
from tests.waiting import wait_until

pytestmark = [pytest.mark.system("QDRANT_BINARY"), pytest.mark.timeout(600)]

EVERY = dense_query(unit(1.0), limit=2000)
WHOLE = {shard: {"Active"} for shard in range(3)}
ATTEMPTS = 5
ASKED, ANOTHER = 0, 1  # clients are connected to the first node


@pytest.fixture
def store(qdrant_cluster: Cluster) -> Iterator[VectorStore]:
    opened = open_store(qdrant_cluster.url + OPTIONS, api_key=KEY)
    yield opened
    opened.close()


def physical(collection: Collection) -> str:
    return names_of(collection, "project").physical


def done(action: Callable[[], object]) -> None:
    """Do it as a worker does: again, if the store was unavailable."""
    for _ in range(ATTEMPTS - 1):
        with suppress(StoreUnavailableError):
            action()
            return
    action()


def held_by(node: Node, collection: Collection) -> set[tuple[object, object]]:
    """What a client that is connected to `node` reads."""
    store = open_store(node.url, api_key=KEY)
    try:
        return set(store.points(collection))
    finally:
        store.close()


def as_held(points: list[Point]) -> set[tuple[object, object]]:
    return {(point.id, point.run) for point in points}


@contextmanager
def searching(store: VectorStore, collection: Collection) -> Iterator[list[int]]:
    """Search all the time; how many points each search found that the store answered."""
    found: list[int] = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def search() -> None:
        while not ended.is_set():
            try:
                [hits] = store.search([collection], [EVERY])
            except StoreUnavailableError:
                continue
            except BaseException as exc:  # noqa: BLE001 - shown by the test's own thread
                failures.append(exc)
                return
            found.append(len(hits.dense))

    thread = threading.Thread(target=search)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()
    assert failures == []


def test_each_shard_is_on_two_nodes(qdrant_cluster: Cluster, store: VectorStore) -> None:
    collection = a_collection()
    store.upsert(collection, [a_point()])
    for node in qdrant_cluster.nodes:
        found = node.ask(f"/collections/{physical(collection)}/cluster")
        assert found["shard_count"] == 3
        assert len(found["local_shards"]) == 2
        assert qdrant_cluster.shards(physical(collection), node) == WHOLE


@pytest.mark.parametrize("number", [ASKED, ANOTHER], ids=["asked", "another"])
def test_searches_and_writes_go_on_while_a_node_is_killed(
    qdrant_cluster: Cluster, store: VectorStore, number: int
) -> None:
    collection = a_collection()
    early, gone, late = ([a_point() for _ in range(300)] for _ in range(3))
    store.upsert(collection, early + gone)

    with searching(store, collection) as found:
        wait_until(lambda: bool(found))
        qdrant_cluster.nodes[number].kill()
        done(lambda: store.upsert(collection, late))
        done(lambda: store.delete(collection, [point.id for point in gone]))
        answered = len(found)
        wait_until(lambda: len(found) > answered + 1, "searches did not go on")
        while_away = found[-1]
        qdrant_cluster.start()

    assert while_away == 600
    assert min(found) >= 600  # never only the part that is left
    for node in qdrant_cluster.nodes:
        assert held_by(node, collection) == as_held(early + late)


def test_node_that_hangs_is_left_for_another(qdrant_cluster: Cluster, store: VectorStore) -> None:
    """The connection to it stays open, and gRPC has to notice that nothing comes."""
    collection, early, late = a_collection(), a_point(), a_point()
    store.upsert(collection, [early])
    qdrant_cluster.nodes[ASKED].hang()
    done(lambda: store.upsert(collection, [late]))
    [hits] = store.search([collection], [EVERY])
    assert set(ids(hits.dense)) == {early.id, late.id}

    qdrant_cluster.start()
    for node in qdrant_cluster.nodes:
        assert held_by(node, collection) == as_held([early, late])


def test_search_that_would_lack_a_part_is_refused(
    qdrant_cluster: Cluster, store: VectorStore
) -> None:
    """Two of three nodes hold all replicas of a shard."""
    collection = a_collection()
    points = [a_point() for _ in range(300)]
    store.upsert(collection, points)
    for node in qdrant_cluster.nodes[1:]:
        node.kill()
    with pytest.raises(StoreUnavailableError, match="does not answer"):
        store.search([collection], [EVERY])
    with pytest.raises(StoreUnavailableError):
        list(store.points(collection))

    qdrant_cluster.start()
    [hits] = store.search([collection], [EVERY])
    assert set(ids(hits.dense)) == {point.id for point in points}


def test_what_was_acknowledged_survives_the_death_of_all_nodes(
    qdrant_cluster: Cluster, store: VectorStore
) -> None:
    collection = a_collection()
    acknowledged: list[Point] = []
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            points = [a_point() for _ in range(50)]
            done(partial(store.upsert, collection, points))
            acknowledged.extend(points)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        wait_until(lambda: len(acknowledged) >= 500)
        for node in qdrant_cluster.nodes:
            node.kill()
        qdrant_cluster.start()
        before = len(acknowledged)
        wait_until(lambda: len(acknowledged) > before, "writes did not go on")
    finally:
        ended.set()
        writer.join()

    for node in qdrant_cluster.nodes:
        assert held_by(node, collection) == as_held(acknowledged)


def test_collection_that_is_made_while_a_node_is_away_gets_there(
    qdrant_cluster: Cluster, store: VectorStore
) -> None:
    qdrant_cluster.nodes[ANOTHER].kill()
    collection = a_collection()
    points = [a_point() for _ in range(300)]
    done(lambda: store.upsert(collection, points))
    [hits] = store.search([collection], [EVERY])
    assert set(ids(hits.dense)) == {point.id for point in points}

    qdrant_cluster.start()
    for node in qdrant_cluster.nodes:
        assert held_by(node, collection) == as_held(points)
        assert qdrant_cluster.shards(physical(collection), node) == WHOLE


def test_organization_that_is_dropped_while_a_node_is_away_does_not_come_back(
    qdrant_cluster: Cluster, store: VectorStore
) -> None:
    own, foreign = a_collection(), a_collection()
    other = a_collection(own.organization, repository=2)
    for collection in (own, other, foreign):
        store.upsert(collection, [a_point()])
    kept = set(store.points(foreign))

    qdrant_cluster.nodes[ANOTHER].kill()
    done(lambda: store.drop_organization(own.organization))
    assert list(store.points(own)) == []
    qdrant_cluster.start()

    for node in qdrant_cluster.nodes:
        assert {physical(own), physical(other)}.isdisjoint(node.collections())
        assert held_by(node, foreign) == kept
        assert held_by(node, own) == set()
