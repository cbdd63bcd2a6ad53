"""The new reader and writer beside those before: the same bytes, the same refusals."""

import json
import os
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from indexer.bundle import decode, encode
from indexer.errors import BundleError
from indexer.records.files import FileRecord, TreeEntry
from tests.indexer.bundle import test_bundle as plain
from tests.indexer.bundle import test_relations as relations
from tests.indexer.bundle.old_format import decode as old_decode
from tests.indexer.bundle.old_format import encode as old_encode
from tests.indexer.bundle.old_format import manifests as old_manifests

EXAMPLES = int(os.environ.get("OLD_FORMAT_EXAMPLES", "100"))
many = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))


@st.composite
def records(draw: st.DrawFn) -> FileRecord:
    record = draw(plain.file_records())
    if record.skipped:
        return record
    other = draw(relations.records)
    content = record.content + relations.CONTENT
    return replace(
        record,
        content=content,
        namespace=other.namespace,
        imports=other.imports,
        exports=other.exports,
        references=other.references,
        manifest=other.manifest,
    )


@many
@given(records())
def test_files_are_written_as_before(record: FileRecord) -> None:
    line = encode.encode_record(record)
    assert line == old_encode.encode_record(record)
    assert encode.encode_file(record).line == line
    if record.manifest:
        old = json.dumps(old_manifests.manifest_fields(record.manifest))
        assert json.dumps(encode.manifest_fields(record.manifest)) == old
        stored = json.loads(old)
        assert decode.read_manifest(stored, where="") == old_manifests.read_manifest(
            stored, where=""
        )


@many
@given(
    st.lists(st.builds(TreeEntry, plain.paths, plain.modes, plain.blobs, plain.sizes), min_size=1)
)
def test_trees_are_written_as_before(entries: list[TreeEntry]) -> None:
    assert encode.encode_tree(entries) == old_encode.encode_tree(entries)


def outcome(module: Any, body: bytes) -> Any:
    """What was read, as it is written; or the code of the refusal."""
    try:
        found = list(module.decode_records(body, dimensions=plain.DIMENSIONS))
    except BundleError as error:
        return error.code
    return old_encode.encode_records(found)


def tree_outcome(module: Any, body: bytes) -> Any:
    try:
        return [tuple(map(list, columns)) for columns in module.decode_tree([body[:50], body[50:]])]
    except BundleError as error:
        return error.code


BASE = replace(
    relations.RECORD,
    chunks=plain.file_record().chunks,
    symbols=plain.file_record().symbols,
)
WORDS = st.sampled_from(
    [
        "",
        "a",
        "\0",
        "\\u0000",
        "é",
        "\ud800",
        "100644",
        "/a",
        "a/../b",
        "ü" * 513,
        "n" * 501,
        "n" * 41,
        "AAAA",
        "AAA=",
        "AA=A",
        "=",
        "AAAAA===",
        "npm",
        "call",
        "path",
        "local",
        "binary",
        "class",
        "m" * 1001,
        "ü" * 501,
        "\x1f",
        "\x7f",
        "a" * 40,
        "A" * 40,
        "1.0",
    ]
)
NUMBERS = st.sampled_from(
    [0, -1, 1, 2, 3, 4, 10**4, 2**31, 2**63 - 1, 2**63, 2**70, 1.0, 1e2, -0.0]
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, one in inner:
        found.append((*path, key))
        if isinstance(one, dict | list):
            found += places(one, (*path, key))
    return found


def mutate(data: st.DataObject, fields: dict[str, Any]) -> None:
    *path, key = data.draw(st.sampled_from(places(fields)), label="place")
    target: Any = fields
    for step in path:
        target = target[step]
    match data.draw(st.sampled_from(["put", "put", "drop", "add", "again"]), label="how"):
        case "put":
            target[key] = data.draw(VALUES, label="value")
        case "drop":
            del target[key]
        case "again" if isinstance(target, list):
            target.append(target[key])
        case _ if isinstance(target, list):
            target.insert(key, data.draw(VALUES, label="value"))
        case _:
            target[data.draw(WORDS, label="key")] = data.draw(VALUES, label="value")


BASES = [
    json.loads(old_encode.encode_record(one))
    for one in (BASE, relations.LOCK_FILE, relations.RECORD, plain.file_record())
] + [{"path": "a", "removed": True}]


@many
@given(st.data())
def test_a_changed_line_is_taken_or_refused_as_before(data: st.DataObject) -> None:
    fields = json.loads(json.dumps(data.draw(st.sampled_from(BASES), label="base")))
    mutate(data, fields)
    ascii_only = data.draw(st.booleans())
    text = json.dumps(fields, ensure_ascii=ascii_only)
    body = text.encode(errors="surrogatepass")
    if data.draw(st.booleans()):
        body = b'{"path":"first","removed":true}\n' + body
    assert outcome(decode, body) == outcome(old_decode, body)


@many
@given(st.data())
def test_changed_bytes_are_taken_or_refused_as_before(data: st.DataObject) -> None:
    base = data.draw(st.sampled_from(BASES), label="base")
    body = json.dumps(base, ensure_ascii=False, separators=(",", ":")).encode()
    start = data.draw(st.integers(0, len(body)))
    end = start + data.draw(st.integers(0, 3))
    piece = st.binary(max_size=4) | st.sampled_from(
        [
            b"\\",
            b'"',
            b"\\u0000",
            b"\\ud83d",
            b"\\ud83d\\ude00",
            b" ",
            b"\n",
            b"\r",
            b"\t",
            b"\x00",
            b"[",
            b"]",
            b"{",
            b"}",
            b",",
            b":",
            b"1",
            b"0",
            b"-",
            b"e1",
            b".0",
            b"null",
            b"NaN",
            b"=",
            b"\xff",
        ]
    )
    body = body[:start] + data.draw(piece) + body[end:]
    assert outcome(decode, body) == outcome(old_decode, body)


@many
@given(st.data())
def test_a_changed_tree_is_taken_or_refused_as_before(data: st.DataObject) -> None:
    lines = [{"path": name, "mode": "100644", "blob": "a" * 40, "size": 1, "skipped": None}
             for name in data.draw(st.lists(plain.paths, min_size=1, max_size=3))]  # fmt: skip
    if data.draw(st.booleans()):
        mutate(data, lines[-1])
    text = "".join(
        json.dumps(one, ensure_ascii=data.draw(st.booleans()), separators=(",", ":")) + "\n"
        for one in lines
    )
    body = text.encode(errors="surrogatepass")
    if data.draw(st.booleans()):
        start = data.draw(st.integers(0, len(body)))
        body = body[:start] + data.draw(st.binary(max_size=3)) + body[start + 1 :]
    assert tree_outcome(decode, body) == tree_outcome(old_decode, body)


@many
@given(st.binary(max_size=60))
@example(b"[" * 100_000)
@example(b"1" * 10_000)
def test_any_bytes_are_taken_or_refused_as_before(body: bytes) -> None:
    assert outcome(decode, body) == outcome(old_decode, body)
