"""Rows of a file's content and relations, as COPY writes them."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from psycopg.types.json import Jsonb

from central.corpus import models
from central.corpus.embeddings import chunk_texts, pack_terms
from central.db import Row, copy_into
from indexer.bundle.encode import manifest_fields
from indexer.ecosystems import ecosystem_by_line
from indexer.lexical import tokenize
from indexer.records.extractors import Extractor
from indexer.records.files import OTHER_NAMES, FileRecord, Unparsed
from indexer.records.vectors import point_id

# Of imports, exports and references the columns stand in the order of the record's fields.
_IN_FILE: Final = ("repository_id", "file_id")
FILE_COPY: Final = copy_into(
    models.File,
    "id",
    "repository_id",
    "path",
    "mode",
    "blob",
    "size",
    "extractor",
    "language",
    "skipped",
    "generated",
    "degraded",
    "unparsed",
    "unparsed_names",
    "encoding",
    "content",
    "namespace",
    "vector",
)
CHUNK_COPY: Final = copy_into(
    models.Chunk,
    *_IN_FILE,
    "ordinal",
    "start_line",
    "end_line",
    "type",
    "name",
    "container",
    "text",
    "digest",
    "terms",
    "point",
)
SYMBOL_COPY: Final = copy_into(
    models.Symbol,
    *_IN_FILE,
    "name",
    "qualified_name",
    "kind",
    "start_line",
    "end_line",
    "signature",
    "exported",
    "parts",
)
IMPORT_COPY: Final = copy_into(
    models.Import, *_IN_FILE, "local", "module", "path", "wildcard", "line"
)
EXPORT_COPY: Final = copy_into(models.Export, *_IN_FILE, "name", "path", "is_local", "wildcard")
REFERENCE_COPY: Final = copy_into(
    models.Reference,
    *_IN_FILE,
    "ecosystem",
    "kind",
    "name",
    "binding",
    "root",
    "chain",
    "access",
    "caller",
    "line",
    "column",
)
MANIFEST_COPY: Final = copy_into(models.Manifest, *_IN_FILE, "data")


@dataclass(frozen=True, slots=True)
class RunContext:
    """The run and extractor that new rows come from; the run determines their points."""

    repository_id: int
    run_id: UUID
    extractor: Extractor


def file_row(context: RunContext, file_id: int, record: FileRecord, vector: bytes | None) -> Row:
    """Return the row of a file; `vector` is packed (corpus.file_vectors)."""
    return (
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
        *_unparsed(record.unparsed),
        record.encoding,
        record.content,
        record.namespace,
        vector,
    )


def _unparsed(unparsed: Unparsed | None) -> tuple[Jsonb | None, list[str] | None]:
    """Return the lines, and the names with OTHER_NAMES if there are more."""
    if unparsed is None:
        return None, None
    others = [] if unparsed.is_complete else [OTHER_NAMES]
    return Jsonb([list(one) for one in unparsed.lines]), [*others, *unparsed.names]


def chunk_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield the rows of its chunks, with their points."""
    texts = chunk_texts(record)
    for ordinal, (chunk, (text, digest)) in enumerate(zip(record.chunks, texts, strict=True)):
        yield (
            context.repository_id,
            file_id,
            ordinal,
            *chunk.span,
            chunk.type,
            chunk.name,
            chunk.container,
            text,
            digest,
            pack_terms(chunk.terms),
            point_id(context.run_id, record.path, ordinal),
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
    for one in record.imports:
        yield (context.repository_id, file_id, *one)


def export_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield the rows of its exports."""
    for one in record.exports:
        yield (context.repository_id, file_id, *one)


def reference_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield the rows of its references; without modules in its language, of no ecosystem."""
    ecosystem_at = ecosystem_by_line(record.language, record.content)
    for one in record.references:
        yield (context.repository_id, file_id, ecosystem_at(one.line), *one)


def manifest_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield its row as a manifest, if it is one."""
    if record.manifest:
        yield (context.repository_id, file_id, Jsonb(manifest_fields(record.manifest)))


# The run of a point that a synchronisation wrote: only its chunk determines how long it stays.
REPAIR_RUN = uuid.UUID(int=0)


def point_ids(run_id: uuid.UUID, record: FileRecord) -> Iterator[uuid.UUID]:
    """Return the points of a file's chunks, in order."""
    return (point_id(run_id, record.path, ordinal) for ordinal in range(len(record.chunks)))
