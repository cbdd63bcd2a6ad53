"""Every way in which a file's line can be wrong: what is put in the place of which value."""

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from indexer.bundle import decode as decoding
from indexer.bundle import encode as encoding
from indexer.bundle.schema import MAX_INTEGER
from indexer.errors import BundleError
from indexer.records.files import NEGOTIATED_FIELDS, FileRecord, SkipReason
from tests.indexer.bundle.test_bundle import BLOB, DIMENSIONS, decode, file_record, unit_vector
from tests.indexer.bundle.test_relations import CONTENT, LOCK_FILE
from tests.indexer.bundle.test_relations import RECORD as RELATED

RECORD = replace(
    RELATED, chunks=file_record().chunks, symbols=file_record().symbols, content=CONTENT
)
LAST_LINE = CONTENT.count("\n")
LONG = "n" * 501


def b64(values: object, dtype: str) -> str:
    return base64.b64encode(np.asarray(values, dtype).tobytes()).decode()


def line_fields(record: FileRecord = RECORD) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(encoding.encode_record(record))
    return fields


def put(fields: Any, place: str, value: object) -> None:
    """`place` as messages have it: `chunks[0].name`."""
    *path, last = [int(key) if key.isdigit() else key for key in re.findall(r"\w+", place)]
    for key in path:
        fields = fields[key]
    fields[last] = value


def refusal_of(*lines: object) -> BundleError:
    with pytest.raises(BundleError) as caught:
        decode("\n".join(map(json.dumps, lines)).encode())
    return caught.value


BOUNDS: list[tuple[str, object]] = [
    ("mode", "100600"),
    ("blob", "g" * 40),
    ("blob", "a" * 41),
    ("blob", BLOB + "\n"),
    ("size", -1),
    ("size", MAX_INTEGER + 1),
    ("language", "p" * 41),
    ("skipped", "no reason"),
    ("skipped", "binary"),
    ("degraded", "tired"),
    ("chunks[0].start", 0),
    ("chunks[0].start", 3),
    ("chunks[0].end", 4),
    ("chunks[0].end", 3),
    ("chunks[0].type", "paragraph"),
    ("chunks[0].name", LONG),
    ("chunks[0].container", LONG),
    ("chunks[0].terms", b64([0, 5, 6], "<u4")),
    ("chunks[0].terms", b64([5, 5, 6], "<u4")),
    ("chunks[0].terms", b64([4, 5, 2**29 + 1], "<u4")),
    ("chunks[0].terms", b64([4, 5], "<u4")),
    ("chunks[0].terms", "AAA="),
    ("chunks[0].terms", "AAAAA==="),
    ("chunks[0].terms", "????"),
    ("chunks[0].terms", "é"),
    ("chunks[0].weights", "AAA="),
    *[("chunks[0].weights", b64([1, bad, 1], "<f4")) for bad in (0, -1, np.nan, np.inf, 1e9)],
    ("chunks[0].vector", "AAA="),
    *[
        ("chunks[0].vector", b64(np.full(DIMENSIONS, bad), "<f4"))
        for bad in (np.nan, np.inf, 3e38, 1.0)
    ],
    ("symbols[0].name", LONG),
    ("symbols[0].qualified_name", LONG),
    ("symbols[0].kind", "k" * 41),
    ("symbols[0].start", 0),
    ("symbols[0].start", 3),
    ("symbols[0].end", 4),
    ("symbols[0].signature", LONG),
    ("namespace", LONG),
    ("unparsed.lines[0][0]", 0),
    ("unparsed.lines[0][0]", LAST_LINE + 1),
    ("unparsed.lines[0][1]", 1),
    ("unparsed.lines[0][1]", LAST_LINE + 1),
    ("unparsed.lines[0][2]", -1),
    ("unparsed.lines", [[1, 2, 0], [2, 3, 0]]),
    ("unparsed.lines", [[1, 1, 0]] * 201),
    ("unparsed.names", ["n"] * 2_001),
    ("unparsed.names[0]", LONG),
    ("unparsed.scanned", 1),
    ("imports[0][0]", LONG),
    ("imports[0][1]", LONG),
    ("imports[0][2]", "p" * 1001),
    ("imports[0][2]", "ü" * 501),
    ("imports[0][4]", 0),
    ("imports[0][4]", LAST_LINE + 1),
    ("exports[0][0]", LONG),
    ("exports[0][1]", "p" * 1001),
    ("exports[0][1]", "ü" * 501),
    ("references[0][0]", "use"),
    ("references[0][2]", ""),
    *[(f"references[1][{column}]", LONG) for column in (1, 3, 4, 6)],
    ("references[0][5]", "PATH"),
    ("references[1][7]", 0),
    ("references[1][7]", LAST_LINE + 1),
    ("references[1][8]", -1),
    ("references[1][8]", len(CONTENT) + 1),
    *[
        (place, row)
        for place in ("imports[0]", "exports[0]", "references[0]", "manifest.entries[0]")
        for row in ([], ["a"], [""] * 10, {"a": 1}, "ab")
    ],
    ("manifest.ecosystem", "cpan"),
    ("manifest.name", LONG),
    ("manifest.version", "1" * 201),
    ("manifest.import_names[0]", LONG),
    ("manifest.source_roots[0]", "m" * 1001),
    ("manifest.entries[1][1]", "m" * 1001),
    ("manifest.aliases[0][0]", "m" * 1001),
    ("manifest.members[0]", "m" * 1001),
    ("manifest.dependencies[0][0]", LONG),
    ("manifest.dependencies[0][1]", "1" * 201),
    ("manifest.pins[0][1]", "1" * 201),
    *[(f"{owner}more", 1) for owner in ("", "chunks[0].", "symbols[0].", "manifest.")],
]
# By the type of what is there.
WRONG: dict[type, list[object]] = {
    str: [1, True, [], {}, "NUL \0", "\ud800"],
    bool: [None, 0, 1, "true", []],
    int: [None, -1, 2**70, 1.0, True, "1", []],
    list: [None, {}, "x", [1], False],
    dict: [[], False, {}],
}
MAY_BE_NULL = {
    *("skipped", "degraded", "chunks[0].vector", "chunks[1].vector", "manifest", "unparsed"),
}


def places(value: Any, above: str = "") -> Iterator[tuple[str, object]]:
    """Everything in a line."""
    rows = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in rows:
        place = f"{above}[{key}]" if isinstance(key, int) else f"{above}.{key}".lstrip(".")
        yield place, one
        if isinstance(one, dict | list):
            yield from places(one, place)


def refused(place: str, value: object) -> None:
    fields = line_fields()
    put(fields, place, value)
    error = refusal_of({"path": "gone", "removed": True}, fields)
    assert error.code == "batch_malformed"
    message = str(error)
    assert message.startswith("line 2: ")
    named = re.findall(r"\w+", place)[0]
    assert named in message or "NUL" in message or "UTF-8" in message or "unknown" in message
    assert len(message) < 200


@pytest.mark.parametrize(("place", "value"), BOUNDS)
def test_a_value_out_of_bounds_is_refused(place: str, value: object) -> None:
    refused(place, value)


def test_a_value_of_another_type_is_refused_wherever_it_stands() -> None:
    for place, value in places(line_fields()):
        for wrong in WRONG.get(type(value), []):
            refused(place, wrong)
        if place not in MAY_BE_NULL and value is not None:
            refused(place, None)


def test_a_missing_field_is_refused_and_named() -> None:
    for place, _ in places(line_fields()):
        owner, _, key = place.rpartition(".")
        if key.endswith("]") or place in NEGOTIATED_FIELDS:
            continue
        fields = line_fields()
        target = fields
        for step in re.findall(r"\w+", owner):
            target = target[int(step) if step.isdigit() else step]  # type: ignore[index]
        del target[key]
        assert f"missing required field `{key}`" in str(refusal_of(fields))


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "a/../b", "./a", "a//b", "a/", ".", "..", "ü" * 513]
)
def test_a_path_that_is_none_has_its_own_code(path: str) -> None:
    assert refusal_of(line_fields() | {"path": path}).code == "batch_path_invalid"
    assert refusal_of({"path": path, "removed": True}).code == "batch_path_invalid"


def test_what_a_refusal_says_is_short_whatever_is_refused() -> None:
    for changes in ({"mode": "x" * 10_000}, {"x" * 10_000: 1}, {"é\n" * 10_000: 1}):
        message = str(refusal_of(line_fields() | changes))
        assert len(message) < 200
        assert message.isascii()
    assert "x" not in str(refusal_of(line_fields() | {"mode": "x"})).replace("Expected", "")


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([line_fields(), line_fields()], "batch_duplicate_path"),
        ([line_fields(), {"path": "src/app.py", "removed": True}], "batch_duplicate_path"),
        ([{"path": "a", "removed": False}], "batch_malformed"),
        ([{"path": "a", "removed": 1}], "batch_malformed"),
        ([{"path": "a", "removed": True, "blob": BLOB}], "batch_malformed"),
        ([{"path": "a\0", "removed": True}], "batch_malformed"),
        ([{"path": 1, "removed": True}], "batch_malformed"),
        ([{"removed": True}], "batch_malformed"),
        ([[]], "batch_malformed"),
    ],
)
def test_codes_tell_the_kinds_of_fault_apart(lines: list[object], code: str) -> None:
    assert refusal_of(*lines).code == code


def test_another_number_of_dimensions_has_its_own_code() -> None:
    for vector in (b64(unit_vector()[:-1], "<f4"), ""):
        fields = line_fields()
        put(fields, "chunks[0].vector", vector)
        assert refusal_of(fields).code == "batch_wrong_dimensions"
    with pytest.raises(BundleError) as caught:
        list(decoding.decode_records(encoding.encode_record(RECORD), dimensions=4))
    assert caught.value.code == "batch_wrong_dimensions"


@pytest.mark.parametrize(
    "body",
    [b"\n", b"{", b"\xff", b"[" * 100_000, b"1" * 10_000, b'{"path":"a"', b"{}\n\n", b"NaN"],
    ids=["blank", "cut", "not UTF-8", "deep", "huge number", "cut field", "blank 2", "nan"],
)
def test_a_line_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(BundleError, match="line 1"):
        decode(body)


@pytest.mark.parametrize("key", ["namespace", "imports", "exports", "references", "manifest"])
def test_a_skipped_file_has_none_of_it(key: str) -> None:
    skipped = line_fields(FileRecord("a.py", "100644", BLOB, 9, skipped=SkipReason.VENDORED))
    assert "line 1: " in str(refusal_of(skipped | {key: line_fields()[key]}))


def test_a_generated_file_has_no_chunks() -> None:
    assert "generated leaves no room for chunks" in str(
        refusal_of(line_fields() | {"generated": "entry"})
    )
    refused = refusal_of(line_fields() | {"generated": "tool", "chunks": []})
    assert "Invalid enum value" in str(refused)


def test_a_lock_file_has_nothing_but_its_manifest() -> None:
    error = refusal_of(line_fields(LOCK_FILE) | {"namespace": "acme"})
    assert "skipped leaves no room" in str(error)


@pytest.mark.parametrize("escape", ["\\u0000", "\\\\\\u0000"])
def test_an_escaped_backslash_before_u0000_is_no_nul(escape: str) -> None:
    line = encoding.encode_record(RECORD).decode()
    with pytest.raises(BundleError, match="NUL"):
        decode(line.replace('"content":"', f'"content":"{escape}').encode())
    [read] = decode(line.replace('"content":"', f'"content":"\\{escape}').encode())
    assert isinstance(read, FileRecord)
    assert "\\u0000" in read.content
