"""Whether an answer says that it has no good match, or a weak one."""

from collections.abc import Callable

import pytest

from central.search.answers import Answer
from central.search.hints import OF_CONFIDENCE
from central.search.query import Mode

Search = Callable[..., Answer]

OTHER_WORDS = "the token of a bus ride"


@pytest.mark.parametrize(
    "query", ["nosuchthing_zzz", "zzzqq wobble flurb", "bavuxu", "QogoLove", "krvw0lnni3n5"]
)
def test_nonsense_has_no_good_match_and_says_so(find: Search, query: str) -> None:
    answer = find(query)
    assert answer.results
    assert answer.confidence == "none"
    assert answer.hint is not None
    assert answer.hint.startswith("No good match")


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.LEXICAL, Mode.SYMBOL])
def test_name_that_is_defined_is_a_strong_match(find: Search, mode: Mode) -> None:
    answer = find("validate_token", mode=mode)
    assert (answer.confidence, answer.hint) == ("strong", None)


def test_words_of_the_code_are_a_match(find: Search) -> None:
    assert find("verify signature and expiry of a token").confidence == "strong"
    assert find("double entry of debit and credit").confidence == "strong"


def test_words_alone_are_a_match_in_a_lexical_search(find: Search) -> None:
    text = "verify signature and expiry of a token"
    assert find(text, mode=Mode.LEXICAL).confidence == "strong"


@pytest.mark.parametrize(
    "query", ["what is the expiry date of a passport", "who inherits when there is no will"]
)
def test_other_topic_is_no_strong_match_and_says_so(find: Search, query: str) -> None:
    answer = find(query)
    assert (answer.confidence, answer.hint) in OF_CONFIDENCE.items()


def test_a_weak_match_says_so_and_what_to_try(find: Search) -> None:
    answer = find(OTHER_WORDS)
    assert answer.confidence == "weak"
    assert answer.hint is not None
    assert answer.hint.startswith("A weak match: ")


def test_best_of_several_queries_counts(find: Search) -> None:
    assert find(("zzzqq wobble flurb", "validate_token")).confidence == "strong"


def test_empty_answer_has_no_match(find: Search) -> None:
    answer = find("qqzzq", mode=Mode.SYMBOL)
    assert (answer.count, answer.confidence) == (0, "none")


def test_confidence_does_not_depend_on_the_page(find: Search) -> None:
    first = find("token", limit=1)
    assert first.next_cursor is not None
    second = find("token", limit=1, cursor=first.next_cursor)
    assert first.confidence == second.confidence == find("token", limit=50).confidence
