"""Imports, exports, references and manifests in a batch: round trips and refusals."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.bundle import decode as decoding
from indexer.bundle import encode as encoding
from indexer.bundle.decode import read_manifest
from indexer.bundle.encode import manifest_fields
from indexer.records.files import FileRecord, SkipReason, Unparsed, UnparsedLines
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin
from indexer.records.references import (
    MODULE_PATH_BYTES,
    Access,
    Binding,
    Export,
    Import,
    Reference,
    ReferenceKind,
)

CONTENT = "from acme.auth import Middleware as M\n\napp = M(app)\n"
MANIFEST = Manifest(
    ecosystem=Ecosystem.NPM,
    name="@acme/web",
    version="1.2.0",
    import_names=("web",),
    source_roots=("src",),
    entries=(("", "src/index.ts"), ("session", "src/session.ts")),
    aliases=(("@/*", "src/*"),),
    members=("packages/*",),
    dependencies=(Dependency("@acme/auth", "^2.0.0"),),
    pins=(Pin("@acme/auth", "2.1.3"),),
)
RECORD = FileRecord(
    path="src/app.py",
    mode="100644",
    blob="ce013625030ba8dba906f756967f9e9ca394464a",
    size=len(CONTENT),
    language="python",
    content=CONTENT,
    namespace="acme.shop",
    imports=(Import("M", "acme.auth", "acme.auth.Middleware", wildcard=False, line=1),),
    exports=(Export("M", "acme.auth.Middleware", is_local=False, wildcard=False),),
    references=(
        Reference(ReferenceKind.NEW, "M", Binding.IMPORT, "M", "", Access.PATH, "", 3, 6),
        Reference(ReferenceKind.VALUE, "app", Binding.LOCAL, "app", "", Access.PATH, "", 3, 8),
    ),
    manifest=MANIFEST,
    unparsed=Unparsed((UnparsedLines(2, 3, 1),), ("app",), is_complete=False),
)
LOCK_FILE = FileRecord(
    "poetry.lock",
    "100644",
    RECORD.blob,
    9,
    skipped=SkipReason.LOCK_FILE,
    manifest=Manifest(Ecosystem.PYPI, pins=(Pin("acme-auth", "2.1.3"),)),
)


def decode(line: bytes) -> FileRecord:
    (record,) = decoding.decode_records(line, dimensions=8)
    assert isinstance(record, FileRecord)
    return record


def line_fields(record: FileRecord = RECORD) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(encoding.encode_record(record))
    return line


# Round trips

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
locations = st.lists(st.tuples(texts, texts), max_size=3).map(tuple)
text_lists = st.lists(texts, max_size=3).map(tuple)
lines = st.integers(1, 3)
manifests = st.builds(
    Manifest,
    st.sampled_from(Ecosystem),
    texts,
    texts,
    text_lists,
    text_lists,
    locations,
    locations,
    text_lists,
    st.lists(st.builds(Dependency, texts, texts), max_size=3).map(tuple),
    st.lists(st.builds(Pin, texts, texts), max_size=3).map(tuple),
)
imports = st.builds(Import, texts, texts, texts, st.booleans(), lines)
exports = st.builds(Export, texts, texts, st.booleans(), st.booleans())
references = st.builds(
    Reference,
    st.sampled_from(ReferenceKind),
    texts,
    st.sampled_from(Binding),
    texts,
    texts,
    st.sampled_from(Access),
    texts,
    lines,
    st.integers(0, len(CONTENT)),
)
records = st.builds(
    replace,
    st.just(RECORD),
    namespace=texts,
    imports=st.lists(imports, max_size=3).map(tuple),
    exports=st.lists(exports, max_size=3).map(tuple),
    references=st.lists(references, max_size=5).map(tuple),
    manifest=st.none() | manifests,
)


@given(records)
def test_decoding_gives_back_what_was_encoded(record: FileRecord) -> None:
    assert decode(encoding.encode_record(record)) == record


def test_values_are_read_with_their_types() -> None:
    record = decode(encoding.encode_record(RECORD))
    assert record.references[0].kind is ReferenceKind.NEW
    assert record.references[0].binding is Binding.IMPORT
    assert record.references[0].access is Access.PATH
    assert record.imports[0].wildcard is False


def test_a_lock_file_may_have_a_manifest_although_it_is_skipped() -> None:
    assert decode(encoding.encode_record(LOCK_FILE)) == LOCK_FILE


def test_a_reference_takes_no_keys_on_the_wire() -> None:
    assert line_fields()["references"][0] == ["new", "M", "import", "M", "", "path", "", 3, 6]


@pytest.mark.parametrize("key", ["imports", "exports", "references"])
def test_a_row_has_the_values_of_its_record_in_their_order(key: str) -> None:
    assert line_fields()[key][0] == list(getattr(RECORD, key)[0])


def test_a_line_tells_how_many_references_it_holds_and_lets_them_go() -> None:
    line = encoding.encode_file(RECORD)
    assert line.references == 2
    assert line.record.references == ()
    assert line.record.manifest is None


def test_a_path_may_fill_its_limit() -> None:
    longest = Export("", "ü" * (MODULE_PATH_BYTES // 2), is_local=False, wildcard=True)
    record = replace(RECORD, exports=(longest,))
    assert decode(encoding.encode_record(record)) == record


@given(manifests)
def test_a_manifest_survives_being_stored_as_json(manifest: Manifest) -> None:
    stored = json.loads(json.dumps(manifest_fields(manifest)))
    assert read_manifest(stored, where="stored") == manifest
