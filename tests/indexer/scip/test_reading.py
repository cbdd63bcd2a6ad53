"""The file of an index: its metadata and documents, and what is no index."""

import gzip
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import ScipInvalidError
from indexer.scip import reading
from indexer.scip.reading import SCIP_FILE_BYTES, IndexFile, IndexHead
from indexer.scip.scip_pb2 import Document, Index, SymbolInformation
from tests.indexer.scip.indexes import index_of

DOCUMENTS = [Document(relative_path="a.ts"), Document(relative_path="b.ts", language="x" * 300)]
INDEX = index_of(DOCUMENTS, "/home/me/shop%20x")
INDEX.external_symbols.append(SymbolInformation(symbol="s" * 200))
DATA = INDEX.SerializeToString()


def read(path: Path, data: bytes) -> tuple[IndexHead, list[bytes]]:
    path.write_bytes(data)
    with IndexFile(path, "index.scip") as file:
        return file.head, list(file.documents())


@pytest.mark.parametrize("packed", [False, True])
def test_an_index_is_read_plain_or_packed(tmp_path: Path, packed: bool) -> None:
    head, documents = read(tmp_path / "index", gzip.compress(DATA) if packed else DATA)
    assert head == IndexHead("scip-typescript", "0.4.0", "/home/me/shop x", is_utf16=False)
    assert [Document.FromString(one) for one in documents] == DOCUMENTS


def test_parts_of_several_files_may_follow_each_other(tmp_path: Path) -> None:
    more = Index(documents=DOCUMENTS).SerializeToString()
    _, documents = read(tmp_path / "index", DATA + more)
    assert [Document.FromString(one) for one in documents] == DOCUMENTS * 2


def test_an_index_that_is_cut_off_is_refused_or_ends_between_two_documents(tmp_path: Path) -> None:
    whole = [one.SerializeToString() for one in DOCUMENTS]
    for end in range(len(DATA)):
        try:
            _, documents = read(tmp_path / "index", DATA[:end])
        except ScipInvalidError as exc:
            assert "(scip_invalid)" in str(exc)  # noqa: PT017 - either is right
        else:
            assert documents == whole[: len(documents)]


def test_a_packed_index_that_is_cut_off_is_refused_wherever_that_is(tmp_path: Path) -> None:
    packed = gzip.compress(DATA)
    for end in range(len(packed)):
        with pytest.raises(ScipInvalidError):
            read(tmp_path / "index", packed[:end])


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "begin with metadata"),
        (b'{"scip": 1}', "a field has a wrong type|begin with metadata"),
        (Index(documents=DOCUMENTS).SerializeToString(), "begin with metadata"),
        (Index(metadata={}).SerializeToString(), "name no indexer"),
        (DATA + DATA, "metadata twice"),
        (b"\x0a\x02\xff\xff", "metadata are malformed"),
        (DATA + b"\x10\x05", "wrong type"),  # documents as a number
        (DATA + b"\x18\x05", "wrong type"),  # external symbols as a number
        (DATA + b"\x00\x01", "wrong type"),  # no field has the number 0
        (DATA + b"\x23", "wrong type"),  # a group
        (DATA + b"\x12" + b"\xff" * 9 + b"\x7f", "has .* bytes"),
        (DATA + b"\xff" * 11, "too many bytes"),
    ],
)
def test_what_is_no_index_is_refused(tmp_path: Path, data: bytes, problem: str) -> None:
    with pytest.raises(ScipInvalidError, match=problem):
        read(tmp_path / "index", data)


def test_fields_that_are_not_known_are_skipped(tmp_path: Path) -> None:
    unknown = b"\x20\x96\x01" + b"\x29" + bytes(8) + b"\x32\x03abc" + b"\x3d" + bytes(4)
    _, documents = read(tmp_path / "index", DATA + unknown)
    assert len(documents) == len(DOCUMENTS)


def test_no_more_bytes_are_read_than_the_limits_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = gzip.compress(DATA + Index(documents=[{"language": "x" * 10_000}]).SerializeToString())
    monkeypatch.setattr(reading, "SCIP_FILE_BYTES", 5_000)
    with pytest.raises(ScipInvalidError, match="at most 5,000 bytes"):
        read(tmp_path / "index", bomb)
    monkeypatch.setattr(reading, "SCIP_FILE_BYTES", SCIP_FILE_BYTES)
    monkeypatch.setattr(reading, "SCIP_DOCUMENT_BYTES", 5_000)
    with pytest.raises(ScipInvalidError, match=r"a part has 10,0.. bytes; at most 5,000"):
        read(tmp_path / "index", bomb)


@given(st.binary(max_size=200), st.integers(0, len(DATA)))
def test_bytes_of_any_kind_are_an_index_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, at: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.scip"
    with suppress(ScipInvalidError):
        read(path, DATA[:at] + data + DATA[at:])
