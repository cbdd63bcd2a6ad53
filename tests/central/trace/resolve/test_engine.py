"""Questions that lead back to themselves are answered the same, whatever else is asked."""

from collections.abc import Callable
from itertools import permutations
from typing import Any, NamedTuple

import pytest

from central.trace.resolve.engine import MAX_ROUNDS, BatchResolver, RuleSteps

ROADS = {"a": "b", "b": "ce", "c": "ad", "d": "", "e": "b", "self": ["self"]}


class Towns(NamedTuple):
    """Which towns are reached from this one?"""

    start: str


def towns(question: Towns) -> RuleSteps:
    answers = yield [Towns(town) for town in ROADS[question.start]]
    return tuple(sorted({question.start, *(town for answer in answers for town in answer)}))


def batch_resolver(rule: Callable[[Any], RuleSteps]) -> BatchResolver:
    return BatchResolver({Towns: rule}, repositories=[])


@pytest.mark.parametrize("order", list(permutations("abce")))
def test_what_is_on_a_circle_is_answered_alike_in_any_order(order: tuple[str, ...]) -> None:
    resolver = batch_resolver(towns)
    for town in order:
        assert resolver.resolve_all([Towns(town)]) == [("a", "b", "c", "d", "e")]
    assert (
        batch_resolver(towns).resolve_all([Towns(town) for town in order]) == [tuple("abcde")] * 4
    )


def test_what_leads_only_to_itself_is_answered_by_the_rest_of_it() -> None:
    assert batch_resolver(towns).resolve_all([Towns("self"), Towns("d")]) == [("self",), ("d",)]


def test_what_contradicts_itself_is_asked_a_few_times() -> None:
    times = []

    def never_settles(question: Towns) -> RuleSteps:
        times.append(question)
        ((answer),) = yield [question]
        return () if answer else ("liar",)

    batch_resolver(never_settles).resolve_all([Towns("liar")])
    assert len(times) == MAX_ROUNDS
