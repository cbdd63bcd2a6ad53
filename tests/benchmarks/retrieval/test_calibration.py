from benchmarks.retrieval.calibration import (
    IDENTIFIERS,
    OTHER,
    PER_REPOSITORY,
    WORDS,
    nonsense,
    questions,
)
from central.search.query import parse_query


def test_queries_without_an_answer_are_the_same_each_time_and_others_for_each_repository() -> None:
    assert list(nonsense("acme")) == list(nonsense("acme"))
    drawn = {name: {text for what, text in nonsense(name) if what != OTHER} for name in "ab"}
    assert not drawn["a"] & drawn["b"]


def test_each_repository_is_asked_as_many_words_as_identifiers() -> None:
    kinds = [what for what, _ in nonsense("acme")]
    assert kinds.count(WORDS) == kinds.count(IDENTIFIERS) == PER_REPOSITORY
    assert kinds.count(OTHER) == len(questions()) == 50


def test_random_identifiers_are_read_as_identifiers() -> None:
    asked = [text for what, text in nonsense("acme") if what == IDENTIFIERS]
    assert all(" " not in text for text in asked)
    assert sum(parse_query(text).symbolic for text in asked) >= len(asked) * 3 // 4
