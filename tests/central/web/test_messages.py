"""Every state and every reason has its words."""

import pytest

from central.ingest.models import IndexRun
from central.repositories.states import IndexState, RunState
from central.web.messages import advice_on, advice_on_run, why_skipped
from indexer.records.files import SkipReason


@pytest.mark.parametrize("state", IndexState)
def test_every_state_of_a_repository_has_its_advice(state: IndexState) -> None:
    assert advice_on(state).fact


@pytest.mark.parametrize("state", RunState.values)
def test_every_state_of_a_run_has_its_advice(state: str) -> None:
    assert advice_on_run(IndexRun(state=state)).fact


def test_why_a_file_is_skipped_is_a_sentence_or_what_a_newer_indexer_calls_it() -> None:
    assert why_skipped(SkipReason.BINARY) == SkipReason.BINARY.sentence
    assert why_skipped("too_modern") == "too modern"
