"""A record that an earlier service gets has no field that it refuses."""

from dataclasses import replace

import pytest

from indexer.records.files import (
    RECORD_FIELDS,
    FileRecord,
    SkipReason,
    Unparsed,
    UnparsedLines,
    supported_record,
)
from indexer.records.manifests import OWN_FILE, Ecosystem, Manifest, ManifestProblem, Pin, PinUse

PINS = Manifest(Ecosystem.NPM, pins=(Pin("acme", "1.0.0"),))
MANIFEST = replace(
    PINS,
    uses=(PinUse("app", "acme", "^1", "1.0.0"),),
    renamed=(("log", "acme"),),
    settings=(("a", "b"),),
    problem=ManifestProblem.PARTIAL,
)
RECORD = FileRecord(
    "package-lock.json",
    "100644",
    "a" * 40,
    9,
    manifest=MANIFEST,
    unparsed=Unparsed((UnparsedLines(1, 1, 0),), ("a",), is_complete=True),
    encoding="cp1252",
    language_declared=True,
)


def test_a_service_that_names_every_field_gets_the_record() -> None:
    assert supported_record(RECORD, RECORD_FIELDS) == RECORD


def test_one_that_names_none_gets_what_it_knows() -> None:
    bare = replace(RECORD, manifest=PINS, unparsed=None, encoding="", language_declared=False)
    assert supported_record(RECORD, frozenset()) == bare


def test_an_unread_manifest_is_none_to_it() -> None:
    unread = Manifest(Ecosystem.NPM, problem=ManifestProblem.INVALID)
    record = replace(RECORD, manifest=unread)
    assert supported_record(record, frozenset()).manifest is None
    assert supported_record(record, RECORD_FIELDS).manifest == unread


def test_of_what_a_tool_writes_it_gets_lock_files_alone() -> None:
    for reason in (SkipReason.GENERATED, SkipReason.MINIFIED):
        record = replace(RECORD, skipped=reason)
        assert supported_record(record, frozenset()).manifest is None
    lock = replace(RECORD, skipped=SkipReason.LOCK_FILE)
    assert supported_record(lock, frozenset()).manifest == PINS


def test_a_wrong_declaration_is_no_text_to_it() -> None:
    record = FileRecord("a", "100644", "a" * 40, 9, skipped=SkipReason.ENCODING_INVALID)
    assert supported_record(record, frozenset()).skipped is SkipReason.NOT_UTF8


# Those of the first service that read records by their fields. No name is ever added here.
FIRST_REASONS = {
    "binary", "excluded", "generated", "lfs_pointer", "lock_file", "minified", "not_utf8",
    "path_invalid", "path_not_utf8", "path_too_long", "submodule", "symlink", "too_large",
    "unprocessable", "vendored",
}  # fmt: skip


@pytest.mark.parametrize("reason", SkipReason)
def test_a_service_that_names_no_field_gets_a_reason_that_it_knows(reason: SkipReason) -> None:
    """A newer reason has a name in RECORD_FIELDS, and `supported_record` gives another one."""
    record = FileRecord("a", "100644", "a" * 40, 9, skipped=reason)
    assert supported_record(record, frozenset()).skipped in FIRST_REASONS
    assert supported_record(record, RECORD_FIELDS) == record


def test_a_manifest_of_one_file_is_none_to_it() -> None:
    record = replace(RECORD, manifest=replace(PINS, settings=(OWN_FILE,)))
    assert supported_record(record, frozenset()).manifest is None
    assert supported_record(record, {"manifest.settings"}).manifest == record.manifest
