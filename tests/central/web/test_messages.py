"""Every state and every reason has its words."""

import pytest

from aeterna_code_search.contract.status import IndexState
from central.corpus.files import why_skipped
from central.ingest.models import IndexRun
from central.repositories.states import RunState
from central.web.runs import run_message, state_message
from indexer.records.files import SkipReason


@pytest.mark.parametrize("state", IndexState)
def test_every_state_of_a_repository_has_a_message(state: IndexState) -> None:
    assert state_message(state).fact


@pytest.mark.parametrize("state", RunState.values)
def test_every_state_of_a_run_has_a_message(state: str) -> None:
    assert run_message(IndexRun(state=state)).fact


def test_why_a_file_is_skipped_is_a_sentence_or_what_a_newer_indexer_calls_it() -> None:
    assert why_skipped(SkipReason.BINARY) == SkipReason.BINARY.sentence
    assert why_skipped("too_modern") == "too modern"
