"""What a worker process does: select by content, extract, embed, encode. No git, no network."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from indexer.bundle.encoding import FileLine, encode_file
from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder
from indexer.extraction import extract_file
from indexer.packages import read_manifest
from indexer.records import (
    DegradeReason,
    EmbedderSpec,
    FileRecord,
    SkipReason,
    SourceFile,
    embedder_input,
    line_span,
    split_lines,
)
from indexer.selection import skip_reason_by_content

_log = logging.getLogger(__name__)
_opened: Final = cache(open_embedder)


def process_files(embedder: EmbedderSpec, files: Sequence[SourceFile]) -> list[FileLine]:
    """One line per file, in order, with vectors. Raises EmbeddingError."""
    records = [make_record(file) for file in files]
    return [encode_file(record) for record in embed_records(records, _opened(embedder))]


def make_record(file: SourceFile) -> FileRecord:
    """The file's record, without vectors. Nothing in a file makes this raise.

    A file that cannot be extracted is cut into windows; one that cannot even be cut is skipped.
    """
    entry = file.entry
    for attempt in (file, replace(file, degraded=DegradeReason.PARSE_FAILED)):
        try:
            return _read(attempt)
        except Exception:  # noqa: BLE001 (it is logged, and a file must not end the run)
            _log.exception("%s could not be extracted", entry.path)
    return _skipped(file, entry.skipped or SkipReason.UNPROCESSABLE)


def _read(file: SourceFile) -> FileRecord:
    entry = file.entry
    if entry.skipped:
        manifest = read_manifest(entry.path, file.content)
        return replace(_skipped(file, entry.skipped), manifest=manifest)
    reason = skip_reason_by_content(entry.path, file.content)
    if reason:
        return _skipped(file, reason)
    return extract_file(
        path=entry.path,
        mode=entry.mode,
        blob=entry.blob,
        content=file.content,
        degraded=file.degraded,
    )


def _skipped(file: SourceFile, reason: SkipReason) -> FileRecord:
    entry = file.entry
    return FileRecord(entry.path, entry.mode, entry.blob, entry.size, skipped=reason)


def embed_records(records: Sequence[FileRecord], embedder: Embedder) -> list[FileRecord]:
    """The records with a vector in every chunk, embedded in one call."""
    texts = [text for record in records for text in _texts(record)]
    vectors = iter(embedder.embed_documents(texts)) if texts else iter(())
    return [
        replace(
            record,
            chunks=tuple(replace(chunk, vector=next(vectors)) for chunk in record.chunks),
        )
        for record in records
    ]


def _texts(record: FileRecord) -> list[str]:
    lines = split_lines(record.content)
    return [
        embedder_input(
            path=record.path, container=chunk.container, text=line_span(lines, chunk.span)
        )
        for chunk in record.chunks
    ]
