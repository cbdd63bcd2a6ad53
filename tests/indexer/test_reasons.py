"""Reasons of runs in words."""

from indexer.reasons import sentence_of
from indexer.records import Reason


def test_every_reason_has_a_sentence_of_its_own() -> None:
    assert len({sentence_of(reason) for reason in Reason}) == len(Reason)
