"""Vectors are put into a line that was made without them."""

from dataclasses import replace

import numpy as np
import pytest

from indexer.bundle.decode import decode_records
from indexer.bundle.encode import (
    encode_file,
    insert_vectors,
    is_readable,
    packed_floats,
    size_with_vectors,
)
from indexer.bundle.schema import BATCH_VALUES, FILE_LINES
from indexer.errors import BundleError
from indexer.records.files import Chunk, ChunkType, FileRecord, Span
from indexer.records.references import Export
from indexer.records.vectors import TermVector

DIMENSIONS = 5  # whose base64 is padded
TERMS = TermVector(np.array([1, 2], np.uint32), np.array([0.5, 1.0], np.float32))
# What could be taken for a chunk without a vector, in every text of a record.
TRAP = '"vector":null}],"vector":null'
RECORD = FileRecord(
    path=f"{TRAP}.py",
    mode="100644",
    blob="a" * 40,
    size=1,
    language="python",
    content=f"{TRAP}\n" * 3,
    chunks=tuple(
        Chunk(Span(line, line), ChunkType.MODULE, TRAP, '\\"vector":null', TERMS)
        for line in (1, 2, 3)
    ),
    namespace=TRAP,
)
EXPORT = Export("a", "", is_local=True, wildcard=False)
VECTORS = np.eye(3, DIMENSIONS, dtype=np.float32)


@pytest.mark.parametrize("known", [set(), {0}, {1, 2}, {0, 1, 2}])
def test_a_line_gets_the_vectors_that_it_would_have_been_made_with(known: set[int]) -> None:
    rows = [None if number in known else row for number, row in enumerate(VECTORS)]
    whole = replace(
        RECORD,
        chunks=tuple(
            replace(chunk, vector=row) for chunk, row in zip(RECORD.chunks, rows, strict=True)
        ),
    )
    packed = [None if row is None else packed_floats(row) for row in rows]
    assert insert_vectors(encode_file(RECORD).line, packed) == encode_file(whole).line


def test_a_line_without_chunks_stays_as_it_is() -> None:
    line = encode_file(replace(RECORD, chunks=())).line
    assert insert_vectors(line, []) == line


def test_a_line_takes_as_many_vectors_as_it_has_chunks() -> None:
    with pytest.raises(ValueError, match="zip"):
        insert_vectors(encode_file(RECORD).line, [None])


def test_the_size_with_vectors_is_known_before_they_are() -> None:
    file = encode_file(RECORD)
    full = insert_vectors(file.line, [packed_floats(row) for row in VECTORS])
    assert size_with_vectors(file, dimensions=DIMENSIONS) == len(full)


def test_a_file_that_no_reader_takes_is_not_sent() -> None:
    values = encode_file(
        replace(RECORD, content="x\n", chunks=(), exports=(EXPORT,) * (BATCH_VALUES // 4))
    )
    lines = encode_file(replace(RECORD, content="\n" * (FILE_LINES + 1), chunks=()))
    longest = encode_file(replace(RECORD, content="\n" * FILE_LINES, chunks=()))
    assert [is_readable(file.line) for file in (values, lines, longest)] == [False, False, True]
    for file, answer in ((values, "values"), (lines, "lines")):
        with pytest.raises(BundleError, match=answer):
            list(decode_records(file.line, dimensions=DIMENSIONS))
    assert len(list(decode_records(longest.line, dimensions=DIMENSIONS))) == 1
