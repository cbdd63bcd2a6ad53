"""The extractor's text: short, and another one if a language extracts other data."""

from importlib import metadata

import pytest

from indexer.languages.registry import LANGUAGES_BY_NAME, PARSED
from indexer.pipeline import versions
from indexer.pipeline.fingerprint import EXTRACTOR, RELEASES, extractor
from indexer.pipeline.versions import NEWEST, SHARED
from indexer.records.extractors import EVERYTHING, HOSTS, MANIFESTS, SELECTION, Extractor
from indexer.records.files import FileRecord
from tests.indexer.golden import changed_silently, read_states, states


def test_no_language_extracts_other_data_under_the_same_version() -> None:
    """If this fails, raise the version and run `python -m tests.indexer.update_golden`."""
    assert read_states() == states()


def test_the_versions_are_of_the_locked_releases_of_the_parser_and_every_grammar() -> None:
    """If this fails, write the new release down and raise the language's version."""
    grammars = {language.grammar.distribution for language in PARSED if language.grammar}
    assert {"tree-sitter"} | grammars == RELEASES.keys()
    assert {name: metadata.version(name) for name in RELEASES} == RELEASES


@pytest.mark.parametrize("name", ["tree-sitter", "tree-sitter-go"])
def test_an_installation_with_another_release_has_an_extractor_of_its_own(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The distribution's dependencies are not pinned."""
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda one: "99" if one == name else version(one))
    other = Extractor.parse(extractor.__wrapped__())
    assert other.shared.startswith(f"{SHARED}-")
    assert len(str(other)) <= 200


def test_a_change_under_the_same_version_is_noticed() -> None:
    before = read_states()
    go = before["go"]
    assert changed_silently(before, before | {"go": go | {"output": "other"}}) == ["go"]
    assert changed_silently(before, before | {"go": go | {"grammar": "other"}}) == ["go"]
    raised = go | {"output": "other", "version": f"{go['version']}1"}
    assert changed_silently(before, before | {"go": raised}) == []


def test_a_new_language_begins_with_version_2_as_its_files_were_read_as_text() -> None:
    before = read_states()
    new = before["go"] | {"version": f"{SHARED} 1"}
    assert changed_silently(before, before | {"new": new}) == ["new"]
    assert changed_silently(before, before | {"new": new | {"version": f"{SHARED} 2"}}) == []


def test_the_text_begins_with_what_all_files_share() -> None:
    assert Extractor.parse(EXTRACTOR) == NEWEST
    assert NEWEST.shared == SHARED
    assert not {HOSTS, MANIFESTS, SELECTION} & LANGUAGES_BY_NAME.keys()


def test_an_earlier_service_accepts_a_text_in_which_every_part_has_changed() -> None:
    parts = [*(one.name for one in PARSED), HOSTS, MANIFESTS, SELECTION]
    assert len(str(Extractor(SHARED, dict.fromkeys(parts, "2")))) <= 200


def test_an_extractor_of_other_releases_is_another_one_for_each_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "99")
    before = extractor.__wrapped__()
    monkeypatch.setitem(versions.VERSIONS, "go", 99)
    assert extractor.__wrapped__() != before


def test_a_file_with_code_of_other_languages_depends_on_the_versions_of_these() -> None:
    versions = {"go": "4", HOSTS: "2", "javascript": "3"}
    one = Extractor("shared", versions)
    record = FileRecord("a.vue", "100644", "0" * 40, 1, language="vue")
    assert one.of_record(record) == "shared hosts=2 javascript=3"
    assert one.changed_parts()["vue"] == "hosts=2 javascript=3"
    assert one.changed_parts()["go"] == "go=4"
    assert "erb" not in Extractor("shared", {"go": "4"}).changed_parts()


@pytest.mark.parametrize("text", ["extractor-1", "a go=2 manifests=3", "a b c=1", ""])
def test_every_text_is_read_back_as_it_was(text: str) -> None:
    assert str(Extractor.parse(text)) == text


_KNOWN = Extractor("aeterna-1.2.0-aa", {"go": "2", MANIFESTS: "3"})


@pytest.mark.parametrize(
    ("text", "older"),
    [
        (str(_KNOWN), ()),
        ("aeterna-1.2.0-aa manifests=3", ("go",)),
        ("aeterna-1.2.0-aa go=1 manifests=10", ("go",)),
        ("aeterna-1.2.0-aa", ("go", MANIFESTS)),
        ("aeterna-1.1.9-bb go=9 manifests=9", (EVERYTHING,)),
        ("aeterna-1.2.0-aa go=3 manifests=3 rust=2", ()),  # an indexer newer than the service
        ("aeterna-1.10.0-aa", ()),
        ("aeterna-1.2.0-aa-12345678", ()),  # other releases of the grammars: no order
        ("aeterna-1.2.0-aa go=x manifests=3", ()),
        ("extractor-1", ()),
        ("", ()),
    ],
)
def test_what_is_older_is_known_by_numbers(text: str, older: tuple[str, ...]) -> None:
    assert Extractor.parse(text).older_parts(_KNOWN) == older
