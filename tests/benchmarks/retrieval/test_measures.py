from math import log2

import pytest

from benchmarks.retrieval.index import Place
from benchmarks.retrieval.measures import difference, judge, mean
from benchmarks.retrieval.queries import Kind, Query, Target

RETRY = Target("src/retry.py", ((10, 20),), 2)
BACKOFF = Target("src/backoff.py", ((1, 1_000_000_000),), 2)
GUIDE = Target("docs/retry.md", ((1, 1_000_000_000),), 1)
OTHER = Place("acme", "src/other.py", 1, 90)


def query(*targets: Target) -> Query:
    return Query("acme", "how are failed calls tried again", Kind.NATURAL, targets)


def hit(path: str, start: int = 1, end: int = 5) -> Place:
    return Place("acme", path, start, end)


def test_first_hit_at_the_third_place_is_worth_a_third() -> None:
    scores = judge(query(RETRY), [OTHER, OTHER, hit("src/retry.py", 15, 30)])
    assert scores.mrr == pytest.approx(1 / 3)
    assert scores.ndcg == pytest.approx(1 / log2(4))
    assert scores.recall == 1.0


@pytest.mark.parametrize(
    ("start", "end", "overlaps"), [(1, 9, False), (1, 10, True), (20, 40, True)]
)
def test_chunk_is_right_if_it_overlaps_the_definition(start: int, end: int, overlaps: bool) -> None:
    assert bool(judge(query(RETRY), [hit("src/retry.py", start, end)]).mrr) is overlaps


def test_same_path_in_another_repository_is_wrong() -> None:
    elsewhere = Place("other", "src/backoff.py", 1, 5)
    assert judge(query(BACKOFF), [elsewhere]).mrr == 0.0


def test_second_chunk_of_a_target_counts_for_nothing() -> None:
    twice = [hit("src/backoff.py", 1, 5), hit("src/backoff.py", 6, 9)]
    assert judge(query(BACKOFF, RETRY), twice).recall == 0.5


def test_what_is_right_beside_the_expected_gains_half_and_is_not_recalled() -> None:
    scores = judge(query(RETRY, GUIDE), [hit("docs/retry.md")])
    assert scores[:3] == (0.0, pytest.approx(1 / (2 + 1 / log2(3))), 0.0)


def test_eleventh_place_is_too_late() -> None:
    scores = judge(query(BACKOFF), [OTHER] * 10 + [hit("src/backoff.py")])
    assert scores[:4] == (0.0, 0.0, 0.0, 0.0)


def test_file_is_right_wherever_its_hit_lies() -> None:
    scores = judge(query(RETRY), [OTHER, hit("src/retry.py", 100, 120)])
    assert scores.mrr == 0.0
    assert scores.file_ndcg == pytest.approx(1 / log2(3))


def test_second_hit_of_a_file_gains_nothing_and_takes_a_place() -> None:
    hits = [hit("src/retry.py", 1, 5), hit("src/retry.py", 6, 9), hit("docs/retry.md")]
    scores = judge(query(RETRY, GUIDE), hits)
    assert scores.file_ndcg == pytest.approx((1 + 1 / log2(4)) / (1 + 1 / log2(3)))
    assert scores.files == 2.0


def test_several_targets_in_one_file_are_one_right_file() -> None:
    other = Target("src/retry.py", ((40, 50),), 1)
    assert judge(query(RETRY, other), [hit("src/retry.py", 10, 20)]).file_ndcg == 1.0


def test_files_of_several_projects_are_told_apart_and_the_right_project_counted() -> None:
    hits = [hit("src/a.py"), Place("other", "src/a.py", 1, 5), hit("src/b.py"), hit("src/a.py")]
    scores = judge(query(RETRY), hits)
    assert scores.files == 3.0
    assert scores.in_project == 0.75
    assert judge(query(RETRY), []).in_project == 0.0


def test_mean_is_taken_of_each_measure() -> None:
    right, wrong = judge(query(BACKOFF), [hit("src/backoff.py")]), judge(query(BACKOFF), [])
    assert mean([right, wrong]) == (0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    assert not any(mean([]))


def test_difference_is_certain_only_if_its_interval_leaves_zero_out() -> None:
    always_better = difference([0.5] * 20, [0.25] * 20)
    assert always_better.mean == 0.25
    assert always_better.is_certain
    assert not difference([1.0, 0.0] * 10, [0.0, 1.0] * 10).is_certain
    assert difference([1.0], [1.0]) == (0.0, 0.0, 0.0)
