"""Reasons of runs in words."""

from indexer.records.runs import Reason, reason_sentence


def test_every_reason_has_a_sentence_of_its_own() -> None:
    assert len({reason_sentence(reason) for reason in Reason}) == len(Reason)
