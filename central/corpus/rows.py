"""Rows of a file's content and relations, as COPY writes them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from central.corpus import models
from central.corpus.embeddings import pack_terms, pack_vector
from central.db import Row, columns_of, copy_into
from indexer.bundle.encode import manifest_fields
from indexer.ecosystems import ecosystem_by_line
from indexer.lexical import tokenize
from indexer.records.extractors import Extractor
from indexer.records.files import OTHER_NAMES, FileRecord, Unparsed
from indexer.records.vectors import embedder_input, embedding_digest, point_id

# Of imports, exports and references the columns stand in the order of the record's fields.
CHUNK_COPY: Final = copy_into(models.Chunk)
SYMBOL_COPY: Final = copy_into(models.Symbol)
IMPORT_COPY: Final = copy_into(models.Import)
EXPORT_COPY: Final = copy_into(models.Export)
REFERENCE_COPY: Final = copy_into(
    models.Reference, *columns_of(models.Reference, without="symbol_id")
)
MANIFEST_COPY: Final = copy_into(models.Manifest)


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
        """Return the row as COPY takes it; `vector` is packed (corpus.file_vectors)."""
        row: Row = self
        if self.unparsed is not None:
            row = self._replace(unparsed=Jsonb(self.unparsed))  # type: ignore[arg-type]
        return (*row, vector)


FILE_COPY: Final = copy_into(models.File, *FileRow._fields, "vector")
COPIES: Final = (
    *(FILE_COPY, CHUNK_COPY, SYMBOL_COPY, REFERENCE_COPY, MANIFEST_COPY, IMPORT_COPY, EXPORT_COPY),
)


def file_row(context: RunContext, file_id: int, record: FileRecord) -> FileRow:
    """Return the row of a file, without its vector."""
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


def packed_points(
    context: RunContext, record: FileRecord, texts: Sequence[str]
) -> list[PackedPoint]:
    """Return the points of a file's chunks, whose `texts` these are, in order."""
    return [
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


def chunk_rows(
    context: RunContext,
    file_id: int,
    record: FileRecord,
    texts: Sequence[str],
    points: Sequence[PackedPoint],
) -> Iterator[Row]:
    """Yield the rows of its chunks, whose `texts` and `points` these are."""
    for ordinal, (chunk, text, point) in enumerate(zip(record.chunks, texts, points, strict=True)):
        yield (
            context.repository_id,
            file_id,
            ordinal,
            *chunk.span,
            chunk.type,
            chunk.name,
            chunk.container,
            text,
            point.digest,
            point.terms,
            UUID(bytes=point.point),
        )


def symbol_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield the rows of its definitions."""
    for symbol in record.symbols:
        yield (
            context.repository_id,
            file_id,
            symbol.name,
            symbol.qualified_name,
            symbol.kind,
            *symbol.span,
            symbol.signature,
            symbol.exported,
            tokenize(symbol.name),
        )


def import_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield the rows of its imports."""
    for import_ in record.imports:
        yield (context.repository_id, file_id, *import_)


def export_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield the rows of its exports."""
    for export in record.exports:
        yield (context.repository_id, file_id, *export)


def reference_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield the rows of its references; without modules in its language, of no ecosystem."""
    if not record.references:
        return  # most documents, whose examples take a while to find
    ecosystem_at = ecosystem_by_line(record.language, record.content)
    for reference in record.references:
        yield (context.repository_id, file_id, ecosystem_at(reference.line), *reference)


def manifest_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield its row as a manifest, if it is one."""
    if record.manifest:
        yield (context.repository_id, file_id, Jsonb(manifest_fields(record.manifest)))


# The run of a point that a synchronisation wrote: only its chunk determines how long it stays.
REPAIR_RUN: Final = UUID(int=0)
