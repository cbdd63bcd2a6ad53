"""Imports, exports, references and manifests in a batch: round trips and refusals."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.bundle import decode as decoding
from indexer.bundle import encode as encoding
from indexer.bundle.manifests import manifest_fields, read_manifest
from indexer.errors import BundleError
from indexer.limits import MODULE_PATH_BYTES
from indexer.records.files import FileRecord, SkipReason
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin
from indexer.records.references import Access, Binding, Export, Import, Reference, ReferenceKind

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


def refusal_of(line: dict[str, Any]) -> str:
    with pytest.raises(BundleError) as caught:
        decode(json.dumps(line).encode())
    assert caught.value.code == "batch_malformed"
    return str(caught.value)


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


# Refusals: what is put in the place of a value, by the value's type

LONG = "n" * 501
WRONG: dict[type, list[object]] = {
    str: [None, 1, True, [], {}, LONG * 2, "NUL \0", "\ud800"],
    bool: [None, 0, 1, "true", []],
    int: [None, -1, 2**31, 1.0, True, "1", []],
}


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("imports", Import._fields),
        ("exports", Export._fields),
        ("references", Reference._fields),
    ],
)
def test_every_wrong_value_of_a_row_is_refused_and_named(key: str, names: tuple[str, ...]) -> None:
    for column, name in enumerate(names):
        for wrong in WRONG[type(line_fields()[key][-1][column])]:
            line = line_fields()
            line[key][-1][column] = wrong
            last = len(line[key]) - 1
            assert f"line 1: {key}[{last}]: {name} must" in refusal_of(line)


@pytest.mark.parametrize(
    ("key", "column", "wrong", "named"),
    [
        ("imports", 0, LONG, "local must have at most 500 characters"),
        ("imports", 1, LONG, "module must have at most 500 characters"),
        ("imports", 2, "ü" * 501, "path must have at most 1000 bytes"),
        ("imports", 4, 0, "line must be between 1 and 3"),
        ("imports", 4, 4, "line must be between 1 and 3"),
        ("exports", 1, "p" * 1001, "path must have at most 1000"),
        ("references", 0, "use", "kind must be one of call, new"),
        ("references", 2, "", "binding must be one of local"),
        ("references", 3, LONG, "root must have at most 500 characters"),
        ("references", 4, LONG, "chain must have at most 500 characters"),
        ("references", 5, "PATH", "access must be one of path"),
        ("references", 6, LONG, "caller must have at most 500 characters"),
        ("references", 7, 4, "line must be between 1 and 3"),
        ("references", 8, len(CONTENT) + 1, "column must be between 0"),
    ],
)
def test_bounds_are_those_of_what_is_stored(
    key: str, column: int, wrong: object, named: str
) -> None:
    line = line_fields()
    line[key][0][column] = wrong
    assert f"{key}[0]: {named}" in refusal_of(line)


def test_a_path_may_fill_its_limit() -> None:
    longest = Export("", "ü" * (MODULE_PATH_BYTES // 2), is_local=False, wildcard=True)
    record = replace(RECORD, exports=(longest,))
    assert decode(encoding.encode_record(record)) == record


@pytest.mark.parametrize("key", ["imports", "exports", "references"])
@pytest.mark.parametrize("change", ["a value less", "a value more", "an object", "a string"])
def test_a_row_of_another_shape_is_refused(key: str, change: str) -> None:
    line = line_fields()
    row = line[key][0]
    line[key][0] = {
        "a value less": row[:-1],
        "a value more": [*row, ""],
        "an object": dict.fromkeys(map(str, row)),
        "a string": "x" * len(row),
    }[change]
    assert f"{key}[0]: must be an array of {len(row)} values" in refusal_of(line)


@pytest.mark.parametrize(
    ("key", "wrong", "named"),
    [
        ("imports", None, "imports must be an array"),
        ("references", {}, "references must be an array"),
        ("namespace", None, "namespace must be a string"),
        ("namespace", LONG, "namespace must have at most 500"),
        ("manifest", [], "manifest: must be a JSON object"),
        ("manifest", False, "manifest: must be a JSON object"),
    ],
)
def test_the_line_s_own_fields_are_checked(key: str, wrong: object, named: str) -> None:
    assert named in refusal_of(line_fields() | {key: wrong})


@pytest.mark.parametrize("key", ["namespace", "imports", "exports", "references", "manifest"])
def test_a_skipped_file_has_none_of_it(key: str) -> None:
    skipped = FileRecord("src/app.py", "100644", RECORD.blob, 9, skipped=SkipReason.GENERATED)
    line = line_fields(skipped) | {key: line_fields()[key], "content": ""}
    assert "line 1: " in refusal_of(line)


def test_a_lock_file_has_nothing_but_its_manifest() -> None:
    assert "skipped leaves no room" in refusal_of(line_fields(LOCK_FILE) | {"namespace": "acme"})


MANIFEST_CHANGES: list[tuple[str, object, str]] = [
    ("ecosystem", "cpan", "ecosystem must be one of pypi"),
    ("name", LONG, "name must have"),
    ("name", None, "name must be a string"),
    ("version", "1" * 201, "version must have at most 200"),
    ("import_names", "web", "import_names must be an array"),
    ("import_names", ["web", 1], "import_names[1] must be a string"),
    ("source_roots", ["\0"], "source_roots[0] must not hold a NUL"),
    ("entries", [["", 1]], "entries[0]: file must be a string"),
    ("entries", [[""]], "entries[0]: must be an array of 2 values"),
    ("aliases", [["@/*", "\ud800"]], "aliases[0]: target must not hold"),
    ("members", ["m" * 1001], "members[0] must have at most 1000"),
    ("dependencies", [[LONG, ""]], "dependencies[0]: name must have"),
    ("dependencies", [["a", ""], ["b", "1" * 201]], "dependencies[1]: required must have"),
    ("pins", [["a", None]], "pins[0]: version must be a string"),
    ("licence", "MIT", "is not a field"),
]


@pytest.mark.parametrize(("key", "wrong", "named"), MANIFEST_CHANGES)
def test_a_bad_manifest_is_refused_and_named(key: str, wrong: object, named: str) -> None:
    line = line_fields()
    line["manifest"][key] = wrong
    message = refusal_of(line)
    assert "line 1: manifest" in message
    assert named in message


def test_a_manifest_without_one_of_its_fields_is_refused() -> None:
    for key in manifest_fields(MANIFEST):
        line = line_fields()
        del line["manifest"][key]
        assert f"{key} is missing" in refusal_of(line)


@given(manifests)
def test_a_manifest_survives_being_stored_as_json(manifest: Manifest) -> None:
    stored = json.loads(json.dumps(manifest_fields(manifest)))
    assert read_manifest(stored, where="stored") == manifest
