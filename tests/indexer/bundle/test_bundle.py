"""The batch format: round trips, and every way in which a batch can be wrong."""

import gzip
import itertools
import json
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.bundle import decode as decoding
from indexer.bundle import encode as encoding
from indexer.bundle import gzip as compression
from indexer.bundle.schema import BATCH_VALUES, FILE_LINES
from indexer.bundle.tree import TreeColumns, decode_tree
from indexer.errors import BundleError, TreeTooLargeError
from indexer.records.files import (
    Chunk,
    ChunkType,
    DegradeReason,
    FileRecord,
    Removal,
    SkipReason,
    Span,
    Symbol,
    TreeEntry,
)
from indexer.records.vectors import TermVector
from tests.indexer.central import entries_of
from tests.property_settings import examples

DIMENSIONS = 8
BLOB = "ce013625030ba8dba906f756967f9e9ca394464a"


def unit_vector(seed: int = 0) -> np.ndarray:
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return vector / np.linalg.norm(vector)


def terms(*ids: int) -> TermVector:
    return TermVector(np.array(ids, np.uint32), np.ones(len(ids), np.float32))


def file_record(**changes: Any) -> FileRecord:
    fields = {
        "path": "src/app.py",
        "mode": "100644",
        "blob": BLOB,
        "size": 24,
        "language": "python",
        "content": "def a():\n    pass\nx = 1\n",
        "chunks": (
            Chunk(Span(1, 2), ChunkType.FUNCTION, "a", "", terms(3, 70, 2**29), unit_vector()),
            Chunk(Span(3, 3), ChunkType.MODULE, "", "", terms(5), None),
        ),
        "symbols": (Symbol("a", "a", "function", Span(1, 2), "def a():", exported=True),),
    }
    return FileRecord(**(fields | changes))


def decode(body: bytes) -> list[FileRecord | Removal]:
    return list(decoding.decode_records(body, dimensions=DIMENSIONS))


def read_tree(body: bytes) -> list[TreeEntry]:
    """A tree that comes in parts of 100 bytes."""
    parts = [body[start : start + 100] for start in range(0, len(body), 100)]
    return entries_of(decode_tree(parts))


def file_fields() -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(encoding.encode_record(file_record()))
    return fields


def decode_fields(*lines: object) -> list[FileRecord | Removal]:
    return decode("\n".join(json.dumps(line) for line in lines).encode())


# Round trips

names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
paths = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0/"), min_size=1)
    .filter(lambda part: part not in {".", ".."})
    .map(lambda part: f"dir/{part}")
)
modes = st.sampled_from(["100644", "100755", "120000", "160000"])
blobs = st.sampled_from([BLOB, BLOB + "0" * 24])
sizes = st.integers(0, 2**63 - 1)


@st.composite
def chunk_lists(draw: st.DrawFn, *, last_line: int) -> tuple[Chunk, ...]:
    cuts = sorted(draw(st.sets(st.integers(1, last_line), max_size=4)))
    return tuple(
        Chunk(
            Span(start, end - 1),
            draw(st.sampled_from(ChunkType)),
            draw(names),
            draw(names),
            terms(*sorted(draw(st.sets(st.integers(1, 2**29), max_size=5)))),
            draw(st.sampled_from([None, unit_vector(1), np.zeros(DIMENSIONS, np.float32)])),
        )
        for start, end in itertools.pairwise(cuts)
    )


@st.composite
def file_records(draw: st.DrawFn) -> FileRecord:
    entry = FileRecord(draw(paths), draw(modes), draw(blobs), draw(sizes))
    if draw(st.booleans()):
        return FileRecord(
            entry.path,
            entry.mode,
            entry.blob,
            entry.size,
            language=draw(names),
            skipped=draw(st.sampled_from(SkipReason)),
        )
    content = draw(names) + "\n" * 9
    symbol = Symbol(draw(names), draw(names), draw(names), Span(2, 5), draw(names), exported=True)
    return FileRecord(
        entry.path,
        entry.mode,
        entry.blob,
        entry.size,
        draw(names),
        None,
        draw(st.none() | st.sampled_from(DegradeReason)),
        content,
        draw(chunk_lists(last_line=9)),
        (symbol,),
    )


@given(st.lists(file_records() | paths.map(Removal), unique_by=lambda record: record.path))
def test_records_survive_the_round_trip(records: list[FileRecord | Removal]) -> None:
    body = encoding.encode_records(records)
    read = decode(compression.decompress(compression.compress(body), limit_bytes=len(body)))
    assert encoding.encode_records(read) == body
    assert [type(record) for record in read] == [type(record) for record in records]


@given(
    st.lists(
        st.builds(TreeEntry, paths, modes, blobs, sizes, st.none() | st.sampled_from(SkipReason)),
        unique_by=lambda entry: entry.path,
    )
)
def test_trees_survive_the_round_trip(entries: list[TreeEntry]) -> None:
    assert read_tree(b"".join(encoding.encode_tree(entries))) == entries


def test_a_tree_that_the_service_would_refuse_is_not_encoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = [TreeEntry(f"{n}.py", "100644", BLOB, 1) for n in range(10)]
    size = len(b"".join(encoding.encode_tree(entries)))
    monkeypatch.setattr(encoding, "TREE_BYTES", size)
    assert sum(map(len, encoding.encode_tree(entries))) == size
    monkeypatch.setattr(encoding, "TREE_BYTES", size - 1)
    with pytest.raises(TreeTooLargeError, match=r"more than 1,\d+ bytes.*\(tree_too_large\)"):
        list(encoding.encode_tree(entries))


def test_a_record_is_read_with_its_types() -> None:
    (record,) = decode(encoding.encode_record(file_record()))
    assert isinstance(record, FileRecord)
    first, second = record.chunks
    assert first.span == Span(1, 2)
    assert first.type is ChunkType.FUNCTION
    assert first.terms.ids.tolist() == [3, 70, 2**29]
    assert first.terms.weights.dtype == np.float32
    assert first.vector is not None
    assert np.array_equal(first.vector, unit_vector())
    assert second.vector is None
    assert record.symbols[0].exported is True


def test_an_empty_body_holds_no_record() -> None:
    assert decode(b"") == []


def test_the_same_records_give_the_same_bytes_and_identity() -> None:
    body = encoding.encode_records([file_record()])
    again = encoding.encode_records([file_record()])
    assert body == again
    assert compression.identity(body) == compression.identity(again)
    assert len(compression.identity(body)) == 64


# Compression


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "batch_not_gzip"),
        (b"plain text", "batch_not_gzip"),
        (gzip.compress(b"0123456789")[:-1], "batch_not_gzip"),
        (gzip.compress(b"0123456789") + b"x", "batch_not_gzip"),
        (gzip.compress(b"0123456789") * 2, "batch_not_gzip"),
        (gzip.compress(b"0123456789a"), "batch_too_large"),
    ],
    ids=["empty", "text", "cut", "trailing byte", "two members", "one too many"],
)
def test_bad_gzip_is_refused_with_its_code(data: bytes, code: str) -> None:
    with pytest.raises(BundleError) as caught:
        compression.decompress(data, limit_bytes=10)
    assert caught.value.code == code


def test_a_body_of_exactly_the_limit_is_accepted() -> None:
    assert compression.decompress(gzip.compress(b"0123456789"), limit_bytes=10) == b"0123456789"


def test_the_tree_refuses_what_a_file_line_refuses() -> None:
    line = {"path": "a/../b", "mode": "100644", "blob": BLOB, "size": 1, "skipped": None}
    with pytest.raises(BundleError, match="path"):
        read_tree(json.dumps(line).encode())


# Fuzz: either it decodes or it is a BundleError


@given(st.binary(max_size=200))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    for read in (decode, lambda body: compression.decompress(body, limit_bytes=50)):
        with suppress(BundleError):
            read(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=5,
)


@examples(300)
@given(st.data())
def test_any_mutated_record_decodes_or_is_refused(data: st.DataObject) -> None:
    fields = file_fields()
    target = data.draw(
        st.sampled_from([fields, *fields["chunks"], *fields["symbols"]]), label="target"
    )
    key = data.draw(st.sampled_from(sorted(target)), label="key")
    old = target[key]
    wild = json_values
    if isinstance(old, str):
        cut = data.draw(st.integers(0, len(old)), label="cut")
        wild |= st.text(max_size=4).map(lambda text: old[:cut] + text + old[cut + 1 :])
    target[key] = data.draw(wild, label="value")
    try:
        records = decode_fields(fields)
    except BundleError:
        return
    assert decode(encoding.encode_records(records))


# What a hostile upload costs: memory is counted, not time


def peak_of(read: Callable[[], object]) -> int:
    """The most bytes that Python held at once while it read, which ends by a refusal or not."""
    tracemalloc.start()
    try:
        with suppress(BundleError):
            read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def parts_of(data: bytes) -> Iterator[bytes]:
    return (data[start : start + 65_536] for start in range(0, len(data), 65_536))


def drain(tree: Iterator[TreeColumns]) -> int:
    return sum(len(columns.path) for columns in tree)


TREE_LINE = f'{{"path":"%s","mode":"100644","blob":"{BLOB}","size":1,"skipped":null}}\n'


@pytest.mark.parametrize(
    "body",
    [
        b"{}," * 1_000_000 + b"{}\n",
        b"[" + b"{}," * 1_000_000 + b"{}]\n",
        b'{"path":[' + b'{"a":0},' * 400_000 + b"0]}\n",
        b'{"path":"' + b"x" * 5_000_000 + b'"}\n',
        (TREE_LINE % ("\\u0061" * 1_000)).encode() * 600,
        b"\n" * 3_000_001,
    ],
    ids=["no line", "one line", "members", "a long path", "escapes", "blank lines"],
)
def test_a_hostile_tree_takes_a_few_megabytes(body: bytes) -> None:
    data = compression.compress(body)
    assert len(body) > 3_000_000
    peak = peak_of(
        lambda: drain(decode_tree(compression.inflate(parts_of(data), limit_bytes=len(body))))
    )
    assert peak < 8_000_000


def test_a_tree_takes_as_much_memory_as_a_part_of_it() -> None:
    body = b"".join((TREE_LINE % f"src/{number}.py").encode() for number in range(60_000))
    data = compression.compress(body)
    read = []

    def decode_all() -> None:
        tree = decode_tree(compression.inflate(parts_of(data), limit_bytes=len(body)))
        read.append(drain(tree))

    assert peak_of(decode_all) < 8_000_000
    assert read == [60_000]
    assert len(body) > 6_000_000


@pytest.mark.parametrize("least", [b"{}", b"[]", b'{"a":0}', b"0", b'""', b"1.5", b'"\\"[{,"'])
def test_a_batch_of_more_values_than_the_limit_is_refused_before_it_is_parsed(
    monkeypatch: pytest.MonkeyPatch, least: bytes
) -> None:
    monkeypatch.setattr(decoding, "BATCH_VALUES", 100_000)
    body = b'{"chunks":[' + b",".join([least] * 100_001) + b"]}\n"
    assert peak_of(lambda: decode(body)) < 100_000  # a list of as many zeros takes 800,000
    with pytest.raises(BundleError, match="100000 values") as caught:
        decode(body)
    assert caught.value.code == "batch_too_large"


def test_marks_inside_of_texts_are_no_values() -> None:
    content = '{"a": [1, "\\"], {' * 100_000
    record = file_record(content=content, chunks=(), symbols=())
    body = encoding.encode_record(record)
    assert body.count(b",") + body.count(b"[") + body.count(b"{") < BATCH_VALUES
    assert decode(body) == [record]
    twice = body + encoding.encode_record(
        file_record(path="b.py", content=content * 4, chunks=(), symbols=())
    )
    assert len(decode(twice)) == 2


def test_a_file_of_too_many_lines_is_refused() -> None:
    fields = file_fields() | {"content": "a\n" * (FILE_LINES + 1)}
    with pytest.raises(BundleError, match="1048576 lines"):
        decode_fields(fields)


@pytest.mark.parametrize(
    "path", ["a\\b", 'a"b', "a\tb", "a\nb", "é", "a\u2028b", "...", "a/..b", ".a", "a/b.", "\x7f"]
)
def test_an_unusual_path_of_a_tree_is_read_as_it_is(path: str) -> None:
    entries = [TreeEntry("before", "100644", BLOB, 1), TreeEntry(path, "100755", BLOB, 2**62)]
    assert read_tree(b"".join(encoding.encode_tree(entries))) == entries


@pytest.mark.parametrize(
    "path", ["", "/a", "a//b", "a/", ".", "..", "a/..", "./a", "a/./b", "é" * 513, "a" * 1025]
)
def test_a_path_that_is_none_is_refused_in_a_tree(path: str) -> None:
    with pytest.raises(BundleError) as caught:
        read_tree(b"".join(encoding.encode_tree([TreeEntry(path, "100644", BLOB, 1)] * 2)))
    assert caught.value.code == "batch_path_invalid"


@pytest.mark.parametrize(
    ("key", "value"),
    [("mode", "100600"), ("blob", "A" * 40), ("size", 2**63), ("size", True), ("skipped", "no")],
)
def test_a_bad_field_is_refused_in_a_tree(key: str, value: object) -> None:
    line: dict[str, object] = {
        "path": "a",
        "mode": "100644",
        "blob": BLOB,
        "size": 1,
        "skipped": None,
    }
    with pytest.raises(BundleError, match=f"line 2: {key}"):
        read_tree(
            "".join(
                json.dumps(fields, separators=(",", ":")) + "\n"
                for fields in (line, line | {key: value})
            ).encode()
        )
