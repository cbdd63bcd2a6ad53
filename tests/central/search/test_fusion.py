import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from central.search.ranking.scoring import add_standard, fuse_normalised
from central.search.retrieval import floor, merge_lists

SCORES = st.dictionaries(
    st.integers(0, 30),
    st.floats(0.0, 50.0, allow_nan=False, allow_subnormal=False),
    min_size=1,
    max_size=20,
)


def test_candidate_in_both_lists_is_above_those_in_one() -> None:
    fused = fuse_normalised(
        {"both": 0.9, "dense": 0.9}, {"both": 9.0, "lexical": 9.0}, dense_weight=0.5
    )
    assert max(fused, key=lambda key: fused[key]) == "both"


def test_candidate_that_a_list_lacks_gets_its_floor() -> None:
    fused = fuse_normalised({"a": 0.9, "b": 0.1}, {"a": 5.0}, dense_weight=0.0, lexical_floor=0.0)
    same = fuse_normalised({"a": 0.9, "b": 0.1}, {"a": 5.0, "b": 0.0}, dense_weight=0.0)
    assert fused == same


def test_floor_of_a_full_list_is_its_lowest_and_of_a_short_one_zero() -> None:
    assert floor({"a": 3.0, "b": 2.0}, limit=2) == 2.0
    assert floor({"a": 3.0, "b": 2.0}, limit=3) == 0.0


def test_one_list_alone_keeps_its_order() -> None:
    fused = fuse_normalised({}, {"a": 3.0, "b": 2.0, "c": 1.0}, dense_weight=0.7)
    assert sorted(fused, key=lambda key: -fused[key]) == ["a", "b", "c"]


def test_equal_scores_are_no_error() -> None:
    assert set(fuse_normalised({"a": 1.0, "b": 1.0}, {}, dense_weight=0.7).values()) == {0.0}


def test_nothing_fuses_to_nothing() -> None:
    assert fuse_normalised({}, {}, dense_weight=0.5) == {}


def test_lists_of_several_embedders_are_merged_by_rank() -> None:
    merged = merge_lists([{"a": 0.99, "b": 0.98}, {"x": 0.2, "y": 0.1}])
    assert list(merged) == ["a", "x", "b", "y"]


def test_list_of_one_embedder_keeps_its_cosines() -> None:
    assert merge_lists([{"a": 0.9}, {}]) == {"a": 0.9}


@given(dense=SCORES, lexical=SCORES, weight=st.floats(0.0, 1.0))
def test_fusion_covers_the_union_of_both_lists(
    dense: dict[int, float], lexical: dict[int, float], weight: float
) -> None:
    assert fuse_normalised(dense, lexical, dense_weight=weight).keys() == {*dense, *lexical}


@example(dense={1: 0.5}, lexical={1: 0.0, 2: 3e-12}, factor=0.1)
@example(dense={0: 0.0}, lexical={0: 0.0, 1: 5.785106569559703e-162}, factor=2.0)
@given(dense=SCORES, lexical=SCORES, factor=st.floats(0.1, 100.0))
def test_scale_of_a_list_does_not_matter(
    dense: dict[int, float], lexical: dict[int, float], factor: float
) -> None:
    scaled = {key: value * factor for key, value in lexical.items()}
    plain = fuse_normalised(dense, lexical, dense_weight=0.5)
    other = fuse_normalised(dense, scaled, dense_weight=0.5)
    for key, value in plain.items():
        assert other[key] == pytest.approx(value, abs=1e-4)


def test_what_a_third_list_lacks_is_average_in_it() -> None:
    added = add_standard({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 0.9, "c": 0.1}, weight=0.5)
    assert added["a"] > added["b"] > added["c"]
    assert added["b"] == pytest.approx(1.0)


def test_a_third_list_without_weight_or_entries_changes_nothing() -> None:
    scores = {"a": 1.0, "b": 0.5}
    assert add_standard(scores, {"a": 0.1, "b": 0.9}, weight=0.0) == scores
    assert add_standard(scores, {}, weight=0.5) == scores
