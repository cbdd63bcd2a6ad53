"""Whether an answer says that it has no good match, or a weak one."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.search import Confidence, Mode, SearchAnswer
from central.search.confidence import CURVES, Evidence, Signal, confidence_of, match_of
from central.search.hints import OF_CONFIDENCE

Search = Callable[..., SearchAnswer]

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


VALUES = st.floats(-1.0, 3.0)


@given(st.sampled_from(Signal), st.booleans(), VALUES, VALUES)
def test_a_match_is_of_0_to_1_and_rises_with_its_signal(
    signal: Signal, is_certain: bool, one: float, other: float
) -> None:
    low, high = (match_of(Evidence(signal, value, is_certain)) for value in sorted((one, other)))
    assert 0.0 <= low <= high <= 1.0


@given(st.sampled_from(Signal), VALUES)
def test_an_uncertain_answer_is_never_strong(signal: Signal, value: float) -> None:
    match = match_of(Evidence(signal, value, is_certain=False))
    assert match <= match_of(Evidence(signal, value))
    assert confidence_of(match) is not Confidence.STRONG


def test_levels_are_ranges_of_the_match() -> None:
    levels = [confidence_of(match / 100) for match in range(101)]
    assert levels == sorted(levels, key=[*reversed(Confidence)].index)
    assert set(levels) == set(Confidence)


@pytest.mark.parametrize("signal", Signal)
def test_curves_rise(signal: Signal) -> None:
    values, matches = zip(*CURVES[signal], strict=True)
    assert list(values) == sorted(set(values))
    assert list(matches) == sorted(matches)


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.LEXICAL, Mode.SEMANTIC, Mode.SYMBOL])
def test_confidence_is_that_of_the_match_in_every_mode(find: Search, mode: Mode) -> None:
    for query in ("validate_token", OTHER_WORDS, "zzzqq wobble flurb", "token"):
        answer = find(query, mode=mode)
        assert answer.match is not None
        assert answer.confidence == confidence_of(answer.match)


def test_matches_of_different_queries_compare(find: Search) -> None:
    nothing, weak, strong = (
        find(query).match for query in ("zzzqq wobble", OTHER_WORDS, "validate_token")
    )
    assert nothing is not None
    assert weak is not None
    assert strong is not None
    assert nothing < weak < strong == 0.94


def test_an_exact_search_has_what_was_asked_for_or_nothing(find: Search) -> None:
    assert find("def validate_token", mode=Mode.LITERAL).match == 1.0
    assert find("qqzzq", mode=Mode.LITERAL).match is None
