"""Rows of files, encoded once for COPY, and what an apply needs to know of them besides.

They wait in a batch of a run until its transaction copies them: no table that is read has them
before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from central.corpus import models
from central.corpus.embeddings import (
    chunk_texts,
    pack_terms,
    pack_vector,
    term_counts,
    unpack_terms,
)
from central.db import Copy, EncodedRows, Row, columns_of, copy_into, encode_rows, new_ids
from indexer.bundle.encode import manifest_fields
from indexer.ecosystems import ecosystem_by_line
from indexer.lexical import tokenize
from indexer.records.extractors import Extractor
from indexer.records.files import OTHER_NAMES, FileRecord, Unparsed
from indexer.records.vectors import Vector, embedder_input, embedding_digest, point_id
from indexer.store.base import Point


# What a file has. Of imports, exports and references the columns stand in the order of the
# record's fields, after the repository's key and the file's.
def row_copies(schema: str = "") -> Mapping[str, Copy]:
    """Return the copies of these rows into the tables of a schema."""
    references = columns_of(models.Reference, without="symbol_id")
    return {
        "chunks": copy_into(models.Chunk, schema=schema),
        "symbols": copy_into(models.Symbol, schema=schema),
        "references": copy_into(models.Reference, *references, schema=schema),
        "manifests": copy_into(models.Manifest, schema=schema),
        "imports": copy_into(models.Import, schema=schema),
        "exports": copy_into(models.Export, schema=schema),
    }


COPIES: Final = row_copies()


@dataclass(frozen=True, slots=True)
class RunContext:
    """The run and extractor that new rows come from; the run determines their points."""

    repository_id: int
    run_id: UUID
    extractor: Extractor


class FileRow(NamedTuple):
    """The columns of a file that its record determines, in the order of `FILE_COPY`."""

    id: int
    repository_id: int
    path: str
    mode: str
    blob: str
    size: int
    extractor: str
    language: str
    skipped: str
    generated: str
    degraded: str
    unparsed: list[list[int]] | None
    unparsed_names: list[str] | None
    encoding: str
    content: str
    namespace: str

    def copied(self, vector: bytes | None) -> Row:
        """Return the row as COPY takes it; `vector` is packed (corpus.embeddings)."""
        row: Row = self
        if self.unparsed is not None:
            row = self._replace(unparsed=Jsonb(self.unparsed))  # type: ignore[arg-type]
        return (*row, vector)


FILE_COPY: Final = copy_into(models.File, *FileRow._fields, "vector")


def _file_row(context: RunContext, file_id: int, record: FileRecord) -> FileRow:
    lines, names = _unparsed(record.unparsed)
    return FileRow(
        file_id,
        context.repository_id,
        record.path,
        record.mode,
        record.blob,
        record.size,
        context.extractor.of_record(record),
        record.language,
        record.skipped or "",
        record.generated or "",
        record.degraded or "",
        lines,
        names,
        record.encoding,
        record.content,
        record.namespace,
    )


def _unparsed(unparsed: Unparsed | None) -> tuple[list[list[int]] | None, list[str] | None]:
    """Return the lines, and the names with OTHER_NAMES if there are more."""
    if unparsed is None:
        return None, None
    others = [] if unparsed.is_complete else [OTHER_NAMES]
    return [list(line) for line in unparsed.lines], [*others, *unparsed.names]


class PackedPoint(NamedTuple):
    """What a chunk alone determines of its point.

    `digest` is that of its embedder's input, `point` the 16 bytes of its id. `terms` and `vector`
    are packed (corpus.embeddings); a chunk that came without a vector has b"".
    """

    type: str
    digest: bytes
    point: bytes
    terms: bytes
    vector: bytes


class ChunkPoint(NamedTuple):
    """A chunk as a vector store needs it: its file's path and language, and a PackedPoint."""

    path: str
    language: str
    type: str
    digest: bytes
    point: bytes
    terms: bytes
    vector: bytes

    def at(self, run_id: UUID, vector: Vector) -> Point:
        """Return the point that a run writes."""
        return Point(
            id=UUID(bytes=self.point),
            run=run_id,
            path=self.path,
            language=self.language,
            type=self.type,
            vector=vector,
            terms=unpack_terms(self.terms),
        )


class _NewFile(NamedTuple):
    """A file with its id, the texts of its chunks, and their points."""

    id: int
    record: FileRecord
    texts: Sequence[str]
    points: Sequence[PackedPoint]


def _new_file(context: RunContext, file_id: int, record: FileRecord) -> _NewFile:
    texts = chunk_texts(record)
    points = [
        PackedPoint(
            chunk.type,
            embedding_digest(
                embedder_input(path=record.path, container=chunk.container, text=text)
            ),
            point_id(context.run_id, record.path, ordinal).bytes,
            pack_terms(chunk.terms),
            b"" if chunk.vector is None else pack_vector(chunk.vector),
        )
        for ordinal, (chunk, text) in enumerate(zip(record.chunks, texts, strict=True))
    ]
    return _NewFile(file_id, record, texts, points)


def _chunk_rows(file: _NewFile) -> Iterator[Row]:
    chunks = zip(file.record.chunks, file.texts, file.points, strict=True)
    for ordinal, (chunk, text, point) in enumerate(chunks):
        place = (ordinal, *chunk.span, chunk.type, chunk.name, chunk.container)
        yield (*place, text, point.digest, point.terms, UUID(bytes=point.point))


def _symbol_rows(file: _NewFile) -> Iterator[Row]:
    for symbol in file.record.symbols:
        named = (symbol.name, symbol.qualified_name, symbol.kind)
        yield (*named, *symbol.span, symbol.signature, symbol.exported, tokenize(symbol.name))


def _reference_rows(file: _NewFile) -> Iterator[Row]:
    """Yield the rows of its references; without modules in its language, of no ecosystem."""
    if not file.record.references:
        return  # most documents, whose examples take a while to find
    ecosystem_at = ecosystem_by_line(file.record.language, file.record.content)
    for reference in file.record.references:
        yield (ecosystem_at(reference.line), *reference)


def _manifest_rows(file: _NewFile) -> Iterator[Row]:
    if file.record.manifest:
        yield (Jsonb(manifest_fields(file.record.manifest)),)


# What stands in the rows of COPIES after both keys.
_MAKERS: Final[Mapping[str, Callable[[_NewFile], Iterable[Row]]]] = {
    "chunks": _chunk_rows,
    "symbols": _symbol_rows,
    "references": _reference_rows,
    "manifests": _manifest_rows,
    "imports": lambda file: file.record.imports,
    "exports": lambda file: file.record.exports,
}


class EncodedFiles(NamedTuple):
    """Files with their ids, their chunks' points, and the rows that refer to them.

    `packed_points` are those of each file. `terms` are the ids of all chunks' terms, and
    `term_chunks` how many chunks have each. `rows` are those of COPIES.
    """

    files: list[FileRow]
    packed_points: list[list[PackedPoint]]
    terms: list[int]
    term_chunks: list[int]
    rows: dict[str, EncodedRows]

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
    ids = new_ids(models.File, len(records))
    files = [_new_file(context, *pair) for pair in zip(ids, records, strict=True)]
    terms, counts = term_counts([chunk.terms.ids for record in records for chunk in record.chunks])

    def rows_of(name: str) -> Iterator[Row]:
        for file in files:
            for row in _MAKERS[name](file):
                yield (context.repository_id, file.id, *row)

    return EncodedFiles(
        files=[_file_row(context, file.id, file.record) for file in files],
        packed_points=[list(file.points) for file in files],
        terms=terms.tolist(),
        term_chunks=counts.tolist(),
        rows={name: encode_rows(copy, rows_of(name)) for name, copy in COPIES.items()},
    )


# The run of a point that a synchronisation wrote: only its chunk determines how long it stays.
REPAIR_RUN: Final = UUID(int=0)
