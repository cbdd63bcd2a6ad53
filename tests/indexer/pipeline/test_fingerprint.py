"""The extractor's text: short, and another one if a language extracts other data."""

import pytest

from indexer.languages.registry import LANGUAGES_BY_NAME, PARSED
from indexer.pipeline.fingerprint import EXTRACTOR, SHARED
from indexer.records.extractors import MANIFESTS, SELECTION, Extractor
from tests.indexer.golden import changed_silently, read_states, states


def test_no_language_extracts_other_data_under_the_same_version() -> None:
    """If this fails, raise the version and run `python -m tests.indexer.update_golden`."""
    assert read_states() == states()


def test_a_change_under_the_same_version_is_noticed() -> None:
    before = read_states()
    go = before["go"]
    assert changed_silently(before, before | {"go": go | {"output": "other"}}) == ["go"]
    assert changed_silently(before, before | {"go": go | {"grammar": "other"}}) == ["go"]
    raised = go | {"output": "other", "version": f"{SHARED} 2"}
    assert changed_silently(before, before | {"go": raised}) == []


def test_the_text_begins_with_what_all_files_share() -> None:
    assert Extractor.parse(EXTRACTOR).shared == SHARED
    assert not {MANIFESTS, SELECTION} & LANGUAGES_BY_NAME.keys()


def test_an_earlier_service_accepts_a_text_in_which_every_part_has_changed() -> None:
    parts = [*(one.name for one in PARSED), MANIFESTS, SELECTION]
    assert len(str(Extractor(SHARED, dict.fromkeys(parts, "2")))) <= 200


@pytest.mark.parametrize("text", ["extractor-1", "a go=2 manifests=3", "a b c=1", ""])
def test_every_text_is_read_back_as_it_was(text: str) -> None:
    assert str(Extractor.parse(text)) == text
