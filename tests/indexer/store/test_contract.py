"""What every vector store promises, over the real ones."""

import threading
from uuid import UUID

import numpy as np
import pytest

from indexer.errors import StoreError
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import HybridHits, HybridQuery, PointFilter, VectorStore
from tests.indexer.store.conftest import OpenStore
from tests.indexer.store.points import (
    OTHER,
    TOLERANCE,
    a_collection,
    a_point,
    dense_query,
    ids,
    lexical_query,
    terms,
    unit,
)

FAR, NEAR = UUID(int=1), UUID(int=2)


def test_upserted_point_is_found_by_both_halves(store: VectorStore) -> None:
    collection = a_collection()
    point = a_point(vector=unit(0.6, 0.8), weights={7: 1.5, 9: 0.5})
    store.upsert(collection, [point])

    query = HybridQuery(vector=unit(1.0), terms=terms({9: 4.0, 7: 2.0}), limit=5)
    [hits] = store.search([collection], [query])

    assert ids(hits.dense) == ids(hits.lexical) == [point.id]
    assert hits.dense[0].score == pytest.approx(0.6, abs=TOLERANCE)
    assert hits.lexical[0].score == pytest.approx(5.0, abs=TOLERANCE)


def test_upsert_is_idempotent(store: VectorStore) -> None:
    collection = a_collection()
    points = [a_point(), a_point()]
    store.upsert(collection, points)
    store.upsert(collection, points)

    assert sorted(store.points(collection)) == sorted((point.id, point.run) for point in points)


def test_upsert_of_nothing_is_allowed(store: VectorStore) -> None:
    collection = a_collection()
    store.upsert(collection, [])
    assert list(store.points(collection)) == []


def test_upsert_replaces_every_part_of_a_point(store: VectorStore) -> None:
    collection = a_collection()
    store.upsert(collection, [a_point(id=NEAR, path="old/a.py", language="go", weights={7: 1.0})])
    new = a_point(id=NEAR, path="new/b.py", vector=unit(0.0, 1.0), weights={8: 1.0})
    store.upsert(collection, [new])

    old_filter = PointFilter(path="old", languages=("go",))
    found = store.search(
        [collection],
        [
            dense_query(unit(0.0, 1.0), filter=old_filter),
            lexical_query({7: 1.0}),
            lexical_query({8: 1.0}),
        ],
    )

    assert [len(hits.dense) + len(hits.lexical) for hits in found] == [0, 0, 1]
    np.testing.assert_allclose(store.vectors(collection, [NEAR])[NEAR], new.vector, atol=TOLERANCE)
    assert list(store.points(collection)) == [(NEAR, new.run)]


def test_deleted_point_is_gone_and_unknown_ids_are_ignored(store: VectorStore) -> None:
    collection = a_collection()
    kept, removed = a_point(), a_point()
    store.upsert(collection, [kept, removed])
    store.delete(collection, [removed.id, FAR])

    [hits] = store.search([collection], [dense_query(unit(1.0))])
    assert ids(hits.dense) == [kept.id]
    assert store.existing(collection, [kept.id, removed.id]) == {kept.id}


def test_delete_leaves_the_points_of_another_repository(store: VectorStore) -> None:
    first = a_collection()
    second = a_collection(first.organization, repository=2)
    point = a_point()
    store.upsert(second, [point])

    store.delete(first, [point.id])

    assert store.existing(second, [point.id]) == {point.id}
    assert store.existing(first, [point.id]) == set()
    assert store.vectors(first, [point.id]) == {}


def test_drop_removes_one_collection_only(store: VectorStore) -> None:
    first = a_collection()
    second = a_collection(first.organization, repository=2)
    points = [a_point() for _ in range(250)]
    store.upsert(first, points[:-1])
    store.upsert(second, points[-1:])

    store.drop(first)

    assert list(store.points(first)) == []
    assert [point for point, _ in store.points(second)] == [points[-1].id]


def test_collection_that_does_not_exist_is_empty(store: VectorStore) -> None:
    unknown = a_collection(embedder=EmbedderSpec("builtin", "never-used", 8))
    query = HybridQuery(vector=unit(1.0), terms=terms({7: 1.0}), limit=5)

    assert store.search([unknown], [query]) == [HybridHits([], [])]
    assert store.vectors(unknown, [NEAR]) == {}
    assert store.existing(unknown, [NEAR]) == set()
    assert list(store.points(unknown)) == []
    store.delete(unknown, [NEAR])
    store.drop(unknown)


def test_no_collections_means_no_hits(store: VectorStore) -> None:
    store.upsert(a_collection(), [a_point()])
    query = HybridQuery(vector=unit(1.0), terms=terms({7: 1.0}), limit=5)
    assert store.search([], [query]) == [HybridHits([], [])]


def test_hits_descend_by_score_and_ties_ascend_by_id(store: VectorStore) -> None:
    collection = a_collection()
    tied = [a_point(vector=unit(0.6, 0.8), weights={7: 0.5}) for _ in range(5)]
    best = a_point(vector=unit(1.0), weights={7: 2.0})
    store.upsert(collection, [*tied, best])

    query = HybridQuery(vector=unit(1.0), terms=terms({7: 1.0}), limit=10)
    [hits] = store.search([collection], [query])

    expected = [best.id, *sorted(point.id for point in tied)]
    assert ids(hits.dense) == ids(hits.lexical) == expected


def test_limit_cuts_each_list(store: VectorStore) -> None:
    collection = a_collection()
    store.upsert(collection, [a_point() for _ in range(8)])
    query = HybridQuery(vector=unit(1.0), terms=terms({7: 1.0}), limit=3)
    [hits] = store.search([collection], [query])
    assert (len(hits.dense), len(hits.lexical)) == (3, 3)


FILTERS: tuple[tuple[PointFilter, set[str]], ...] = (
    (PointFilter(languages=("go",)), {"src/auth/login.go"}),
    (PointFilter(languages=("go", "rust")), {"src/auth/login.go", "lib.rs"}),
    (PointFilter(types=("class",)), {"src/authors.py", "src/auth"}),
    (PointFilter(path="src/auth"), {"src/auth/login.go", "src/auth/deep/er.py", "src/auth"}),
    (PointFilter(path="src/auth/"), {"src/auth/login.go", "src/auth/deep/er.py", "src/auth"}),
    (PointFilter(path="src/authors.py"), {"src/authors.py"}),
    (PointFilter(path="auth"), set()),
    (PointFilter(files=("lib.rs", "src/authors.py", "gone")), {"lib.rs", "src/authors.py"}),
    (PointFilter(files=("gone",)), set()),
    (PointFilter(files=("lib.rs",), languages=("go",)), set()),
    (PointFilter(("python",), ("class",), "src"), {"src/authors.py", "src/auth"}),
    (PointFilter(languages=("cobol",)), set()),
)


def test_filter_restricts_both_halves(store: VectorStore, subtests: pytest.Subtests) -> None:
    collection = a_collection()
    points = [
        a_point(path="src/auth/login.go", language="go"),
        a_point(path="src/auth/deep/er.py"),
        a_point(path="src/auth", type="class"),
        a_point(path="src/authors.py", type="class"),
        a_point(path="lib.rs", language="rust"),
        a_point(path="other/src/auth_test.py"),
    ]
    store.upsert(collection, points)
    paths = {point.id: point.path for point in points}
    for wanted, expected in FILTERS:
        with subtests.test(filter=wanted):
            query = HybridQuery(vector=unit(1.0), terms=terms({7: 1.0}), limit=9, filter=wanted)
            [hits] = store.search([collection], [query])
            assert {paths[point] for point in ids(hits.dense)} == expected
            assert {paths[point] for point in ids(hits.lexical)} == expected


def test_collections_are_merged_by_raw_score(store: VectorStore) -> None:
    first = a_collection()
    second = a_collection(first.organization, repository=2)
    third = a_collection(repository=3)
    best, middle, worst = (a_point(vector=unit(x, 1 - x)) for x in (1.0, 0.7, 0.4))
    store.upsert(first, [middle])
    store.upsert(second, [best])
    store.upsert(third, [worst])

    [hits] = store.search([first, second, third], [dense_query(unit(1.0))])
    assert ids(hits.dense) == [best.id, middle.id, worst.id]
    [hits] = store.search([second, third], [dense_query(unit(1.0))])
    assert ids(hits.dense) == [best.id, worst.id]


def test_several_queries_are_answered_in_their_order(store: VectorStore) -> None:
    collection = a_collection()
    python = a_point(vector=unit(1.0), weights={7: 1.0})
    go = a_point(vector=unit(0.0, 1.0), weights={8: 1.0}, language="go")
    store.upsert(collection, [python, go])

    found = store.search(
        [collection],
        [
            dense_query(unit(1.0), filter=PointFilter(languages=("go",))),
            lexical_query({7: 1.0}),
            HybridQuery(vector=unit(0.0, 1.0), terms=terms({8: 1.0}), limit=1),
            HybridQuery(vector=None, terms=None, limit=1),
        ],
    )

    assert [(ids(hits.dense), ids(hits.lexical)) for hits in found] == [
        ([go.id], []),
        ([], [python.id]),
        ([go.id], [go.id]),
        ([], []),
    ]


def test_zero_vector_scores_zero_and_asks_nothing(store: VectorStore) -> None:
    collection = a_collection()
    known, unknown = a_point(vector=unit(1.0)), a_point(vector=unit())
    store.upsert(collection, [known, unknown])

    [hits] = store.search([collection], [dense_query(unit(1.0))])
    assert ids(hits.dense) == [known.id, unknown.id]
    assert hits.dense[1].score == 0.0
    assert store.search([collection], [dense_query(unit())]) == [HybridHits([], [])]


def test_point_without_terms_and_query_without_terms_match_nothing(store: VectorStore) -> None:
    collection = a_collection()
    store.upsert(collection, [a_point(weights={})])
    assert store.search([collection], [lexical_query({7: 1.0}), lexical_query({})]) == [
        HybridHits([], []),
        HybridHits([], []),
    ]


def test_two_embedders_are_kept_apart(store: VectorStore) -> None:
    first = a_collection()
    second = a_collection(first.organization, embedder=OTHER)
    point, other = a_point(), a_point()
    store.upsert(first, [point])
    store.upsert(second, [other])

    [hits] = store.search([first], [dense_query(unit(1.0))])
    assert ids(hits.dense) == [point.id]
    store.drop(first)
    [hits] = store.search([second], [dense_query(unit(1.0))])
    assert ids(hits.dense) == [other.id]


def test_reopened_store_keeps_everything(open_again: OpenStore) -> None:
    collection = a_collection()
    points = [a_point() for _ in range(150)]
    before = open_again()
    before.upsert(collection, points)
    before.close()

    after = open_again()
    after.optimize()
    assert sorted(after.points(collection)) == sorted((point.id, point.run) for point in points)
    [hits] = after.search([collection], [dense_query(unit(1.0), limit=200)])
    assert len(hits.dense) == 150
    after.close()


def test_organization_that_is_no_slug_is_refused(store: VectorStore) -> None:
    with pytest.raises(StoreError, match="slug"):
        store.upsert(a_collection("../acme"), [a_point()])


def test_searches_beside_an_upsert_see_whole_points(store: VectorStore) -> None:
    collection = a_collection()
    points = [a_point(weights={7: 1.0}) for _ in range(1200)]
    store.upsert(collection, points[:1])
    done = threading.Event()
    seen: list[int] = []
    failures: list[BaseException] = []

    def search() -> None:
        query = HybridQuery(vector=unit(1.0), terms=terms({7: 1.0}), limit=2000)
        try:
            while not done.is_set():
                [hits] = store.search([collection], [query])
                seen.append(len(hits.dense))
        except BaseException as exc:  # noqa: BLE001 - shown by the test's own thread
            failures.append(exc)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    store.upsert(collection, points)
    done.set()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)

    assert failures == []
    assert seen
    assert min(seen) >= 1
    assert store.existing(collection, [point.id for point in points]) == {p.id for p in points}


def test_drop_of_an_organization_leaves_the_others_and_its_name_may_be_used_again(
    store: VectorStore,
) -> None:
    own, again = a_collection(), a_point()
    other_embedder = a_collection(own.organization, embedder=EmbedderSpec("builtin", "other", 8))
    foreign = a_collection(f"{own.organization}-too")
    for collection in (own, other_embedder, foreign):
        store.upsert(collection, [a_point()])
    kept = list(store.points(foreign))

    store.drop_organization(own.organization)

    assert list(store.points(own)) == list(store.points(other_embedder)) == []
    assert list(store.points(foreign)) == kept
    store.drop_organization(own.organization)
    store.upsert(own, [again])
    assert [point for point, _ in store.points(own)] == [again.id]
