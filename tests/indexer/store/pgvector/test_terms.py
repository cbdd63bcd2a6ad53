"""Conditions on terms leave out no point that could reach the score."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.store.pgvector.statements import any_of, by_weight, max_score, score_condition
from indexer.store.schema import MAX_TERM_WEIGHT
from tests.indexer.store.points import terms

WEIGHTS = st.dictionaries(st.integers(1, 99), st.floats(0.1, 12), min_size=1, max_size=12)


def holds(condition: str, held: set[int]) -> bool:
    """Whether a point with these terms meets a condition of terms, &, | and parentheses."""
    named = condition.replace("|", " or ").replace("&", " and ").split()
    words = " ".join(named).replace("(", " ( ").replace(")", " ) ").split()
    return bool(eval(" ".join(str(int(w) in held) if w.isdigit() else w for w in words)))  # noqa: S307


@given(WEIGHTS, st.sets(st.integers(1, 99)), st.floats(0.01, 0.99))
def test_point_that_could_reach_the_score_is_let_through(
    asked: dict[int, float], more: set[int], share: float
) -> None:
    weights = by_weight(terms(asked))
    score = share * max_score(weights)
    for count in range(1, len(weights) + 1):
        held = {term for term, _ in weights[-count:]} | (more - asked.keys())
        could = MAX_TERM_WEIGHT * sum(weight for term, weight in weights if term in held)
        if could >= score:
            assert holds(score_condition(weights, score), held)


def test_point_that_holds_too_little_is_not_read() -> None:
    weights = by_weight(terms({1: 8.0, 2: 3.0, 3: 3.0}))
    condition = score_condition(weights, 0.4 * max_score(weights))
    assert condition == "1|2&(3)"


def test_terms_that_are_not_told_apart_count_as_held() -> None:
    weights = by_weight(terms(dict.fromkeys(range(1, 13), 1.0)))
    assert score_condition(weights, 2 * MAX_TERM_WEIGHT) == any_of(weights)
    assert holds(score_condition(weights, 4 * MAX_TERM_WEIGHT), {1, 2})
    assert not holds(score_condition(weights, 4 * MAX_TERM_WEIGHT), {1})
