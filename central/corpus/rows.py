"""Rows of a file's content and relations, as COPY writes them."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from psycopg.types.json import Jsonb

from central.corpus.embeddings import chunk_texts, pack_terms
from central.db import Row
from indexer.bundle.encode import manifest_fields
from indexer.lexical import tokenize
from indexer.modules import ecosystem_of
from indexer.records.files import FileRecord
from indexer.records.manifests import Ecosystem
from indexer.records.vectors import point_id

# Of imports, exports and references the columns stand in the order of the record's fields.
_IN_FILE = {"repository_id": "int8", "file_id": "int8"}
FILE_COLUMNS: Final = {
    "id": "int8",
    "repository_id": "int8",
    "path": "text",
    "mode": "varchar",
    "blob": "varchar",
    "size": "int8",
    "extractor": "varchar",
    "language": "varchar",
    "skipped": "varchar",
    "degraded": "varchar",
    "content": "text",
    "namespace": "varchar",
}
CHUNK_COLUMNS: Final = _IN_FILE | {
    "ordinal": "int4",
    "start_line": "int4",
    "end_line": "int4",
    "type": "varchar",
    "name": "varchar",
    "container": "varchar",
    "text": "text",
    "digest": "bytea",
    "terms": "bytea",
    "point": "uuid",
}
SYMBOL_COLUMNS: Final = _IN_FILE | {
    "name": "varchar",
    "qualified_name": "varchar",
    "kind": "varchar",
    "start_line": "int4",
    "end_line": "int4",
    "signature": "varchar",
    "exported": "bool",
    "parts": "text[]",
}
IMPORT_COLUMNS: Final = _IN_FILE | {
    "local": "varchar",
    "module": "varchar",
    "path": "varchar",
    "wildcard": "bool",
    "line": "int4",
}
EXPORT_COLUMNS: Final = _IN_FILE | {
    "name": "varchar",
    "path": "varchar",
    "is_local": "bool",
    "wildcard": "bool",
}
REFERENCE_COLUMNS: Final = _IN_FILE | {
    "ecosystem": "varchar",
    "kind": "varchar",
    "name": "varchar",
    "binding": "varchar",
    "root": "varchar",
    "chain": "varchar",
    "access": "varchar",
    "caller": "varchar",
    "line": "int4",
    "column": "int4",
}
MANIFEST_COLUMNS: Final = _IN_FILE | {"data": "jsonb"}


@dataclass(frozen=True, slots=True)
class RunContext:
    """The run and extractor that new rows come from; the run determines their points."""

    repository_id: int
    run_id: UUID
    extractor: str


def file_row(context: RunContext, file_id: int, record: FileRecord) -> Row:
    """Return the row of a file."""
    return (
        file_id,
        context.repository_id,
        record.path,
        record.mode,
        record.blob,
        record.size,
        context.extractor,
        record.language,
        record.skipped or "",
        record.degraded or "",
        record.content,
        record.namespace,
    )


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
    ecosystem = ecosystem_of(record.language) or Ecosystem.NONE
    for one in record.references:
        yield (context.repository_id, file_id, ecosystem, *one)


def manifest_rows(context: RunContext, file_id: int, record: FileRecord) -> Iterator[Row]:
    """Yield its row as a manifest, if it is one."""
    if record.manifest:
        yield (context.repository_id, file_id, Jsonb(manifest_fields(record.manifest)))


# The run of a point that a synchronisation wrote: only its chunk determines how long it stays.
REPAIR_RUN = uuid.UUID(int=0)


def point_ids(run_id: uuid.UUID, record: FileRecord) -> Iterator[uuid.UUID]:
    """Return the points of a file's chunks, in order."""
    return (point_id(run_id, record.path, ordinal) for ordinal in range(len(record.chunks)))
