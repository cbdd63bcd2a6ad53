"""Questions that lead back to themselves are answered the same, whatever else is asked."""

from collections.abc import Callable
from itertools import permutations
from typing import Any, NamedTuple

import pytest

from central.trace.resolve.engine import MAX_ROUNDS, Inquiry, Steps

ROADS = {"a": "b", "b": "ce", "c": "ad", "d": "", "e": "b", "self": ["self"]}


class Towns(NamedTuple):
    """Which towns are reached from this one?"""

    start: str


def towns(question: Towns) -> Steps:
    answers = yield [Towns(town) for town in ROADS[question.start]]
    return tuple(sorted({question.start, *(town for answer in answers for town in answer)}))


def inquiry(rule: Callable[[Any], Steps]) -> Inquiry:
    return Inquiry({Towns: rule}, repositories=[])


@pytest.mark.parametrize("order", list(permutations("abce")))
def test_what_is_on_a_circle_is_answered_alike_in_any_order(order: tuple[str, ...]) -> None:
    asking = inquiry(towns)
    for town in order:
        assert asking.answers([Towns(town)]) == [("a", "b", "c", "d", "e")]
    assert inquiry(towns).answers([Towns(town) for town in order]) == [tuple("abcde")] * 4


def test_what_leads_only_to_itself_is_answered_by_the_rest_of_it() -> None:
    assert inquiry(towns).answers([Towns("self"), Towns("d")]) == [("self",), ("d",)]


def test_what_contradicts_itself_is_asked_a_few_times() -> None:
    times = []

    def never_settles(question: Towns) -> Steps:
        times.append(question)
        ((answer),) = yield [question]
        return () if answer else ("liar",)

    inquiry(never_settles).answers([Towns("liar")])
    assert len(times) == MAX_ROUNDS
