"""Reasons of runs in words."""

from indexer.records.runs import Reason, sentence_of


def test_every_reason_has_a_sentence_of_its_own() -> None:
    assert len({sentence_of(reason) for reason in Reason}) == len(Reason)
