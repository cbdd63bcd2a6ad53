"""Whatever a page may have to say in words, it has words for."""

import pytest

from central.ingest.models import IndexRun, RunState
from central.repositories.states import IndexState
from central.search.ranking import BASE, DENSE, DENSE_SYMBOLIC, WEIGHTS
from central.web.advice import advice_on, advice_on_run, why_skipped
from central.web.hits import RULE_WORDS
from indexer.records import SkipReason


@pytest.mark.parametrize("state", IndexState)
def test_every_state_of_a_repository_has_its_advice(state: IndexState) -> None:
    assert advice_on(state).fact


@pytest.mark.parametrize("state", RunState.values)
def test_every_state_of_a_run_has_its_advice(state: str) -> None:
    assert advice_on_run(IndexRun(state=state)).fact


def test_every_rule_of_the_ranking_is_said_in_words() -> None:
    """The weights of the two parts of the base are no rules of their own."""
    assert set(RULE_WORDS) == {BASE, *WEIGHTS} - {DENSE, DENSE_SYMBOLIC}


def test_why_a_file_is_skipped_is_a_sentence_or_what_a_newer_indexer_calls_it() -> None:
    assert why_skipped(SkipReason.BINARY) == SkipReason.BINARY.sentence
    assert why_skipped("too_modern") == "too modern"
