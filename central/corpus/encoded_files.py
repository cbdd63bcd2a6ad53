"""The rows of some files, encoded once for COPY, and what an apply needs to know of them besides.

They wait in a batch of a run until its transaction copies them: no table that is read has them
before.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from central.corpus import rows
from central.corpus.embeddings import chunk_texts, term_counts
from central.corpus.models import File
from central.corpus.rows import ChunkPoint, FileRow, PackedPoint, RunContext
from central.db import Copy, EncodedRows, Row, encode_rows, new_ids
from indexer.records.files import FileRecord

_Maker = Callable[[RunContext, int, FileRecord], Iterator[Row]]


class EncodedFiles(NamedTuple):
    """Files with their ids, their chunks, and the rows that refer to them.

    `packed_points` are those of each file. `terms` are the ids of all chunks' terms, and
    `term_chunks` how many chunks have each.
    """

    files: list[FileRow]
    packed_points: list[list[PackedPoint]]
    terms: list[int]
    term_chunks: list[int]
    chunks: EncodedRows
    symbols: EncodedRows
    references: EncodedRows
    manifests: EncodedRows
    imports: EncodedRows
    exports: EncodedRows

    @property
    def points(self) -> list[ChunkPoint]:
        """The points of all files; those of a file share its path, which may be long."""
        return [
            ChunkPoint(file.path, file.language, *point)
            for file, own in zip(self.files, self.packed_points, strict=True)
            for point in own
        ]


def encode_files(context: RunContext, records: Sequence[FileRecord]) -> EncodedFiles:
    """Give ids to new files, and encode their rows."""
    owned = list(zip(new_ids(File, len(records)), records, strict=True))
    texts = [chunk_texts(record) for record in records]
    points = [
        rows.packed_points(context, record, own) for record, own in zip(records, texts, strict=True)
    ]
    terms, counts = term_counts([chunk.terms.ids for record in records for chunk in record.chunks])

    def encode(into: Copy, make: _Maker) -> EncodedRows:
        return encode_rows(into, (row for pair in owned for row in make(context, *pair)))

    return EncodedFiles(
        files=[rows.file_row(context, *pair) for pair in owned],
        packed_points=points,
        terms=terms.tolist(),
        term_chunks=counts.tolist(),
        chunks=encode_rows(
            rows.CHUNK_COPY,
            (
                row
                for (file_id, record), own, chunks in zip(owned, texts, points, strict=True)
                for row in rows.chunk_rows(context, file_id, record, own, chunks)
            ),
        ),
        symbols=encode(rows.SYMBOL_COPY, rows.symbol_rows),
        references=encode(rows.REFERENCE_COPY, rows.reference_rows),
        manifests=encode(rows.MANIFEST_COPY, rows.manifest_rows),
        imports=encode(rows.IMPORT_COPY, rows.import_rows),
        exports=encode(rows.EXPORT_COPY, rows.export_rows),
    )
