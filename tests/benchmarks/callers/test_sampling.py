"""Which symbols are asked about."""

from benchmarks.callers.sampling import Question, choose, grouped
from tests.benchmarks.callers.tiny import (
    CACHE,
    CACHE_GET,
    OPEN,
    STORE,
    STORE_GET,
    TRUTH,
    UNUSED,
)


def test_symbols_are_grouped_by_their_callers_and_namesakes() -> None:
    assert grouped(TRUTH) == {
        "cross": [STORE, STORE_GET, OPEN],
        "own": [],
        "trap": [OPEN],
        "zero": [CACHE, UNUSED],
    }


def test_a_name_that_the_tool_cannot_tell_somewhere_is_no_true_zero() -> None:
    assert CACHE_GET not in grouped(TRUTH)["zero"]


def test_the_draw_is_the_same_every_time_and_limited_by_kind() -> None:
    drawn = choose(TRUTH, per_group=1, methods=1)
    assert drawn == choose(TRUTH, per_group=1, methods=1)
    cross = [question.index for question in drawn if "cross" in question.groups]
    assert STORE_GET in cross, "the only method"
    assert len(cross) == 2


def test_a_symbol_is_asked_once_for_all_its_groups() -> None:
    assert Question(OPEN, ("cross", "trap")) in choose(TRUTH)
