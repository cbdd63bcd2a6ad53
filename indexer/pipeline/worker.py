"""The work of a worker process: a source file becomes a line; a text becomes a vector.

No git, no network, no secrets.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from indexer.bundle.encode import encode_file, packed_floats, packed_terms
from indexer.bundle.lines import ExtractedFile, PointData, is_readable, size_with_vectors
from indexer.embedding import open_embedder
from indexer.manifests import read_manifest
from indexer.pipeline.extract import extract_file
from indexer.pipeline.select import skip_reason_by_content
from indexer.records.files import (
    Chunk,
    DegradeReason,
    FileRecord,
    SkipReason,
    SourceFile,
    TreeEntry,
    line_span,
    split_lines,
)
from indexer.records.vectors import EmbedderConfig, EmbedderSpec, embedder_input, embedding_digest

_log = logging.getLogger(__name__)
_opened: Final = cache(open_embedder)


def extract_files(
    files: Sequence[SourceFile], *, dimensions: int, batch_bytes: int, with_points: bool
) -> list[ExtractedFile]:
    """Extract each file, in order: select by content, parse, encode.

    A file whose line would not fit into a batch with its vectors is skipped. All vectors count, so
    that what central knows already does not decide what is indexed. `with_points`: with the data
    that a direct upload needs.
    """
    extracted = []
    for file in files:
        one = _extracted(make_record(file), with_points=with_points)
        size = size_with_vectors(one.file, dimensions=dimensions)
        if size > batch_bytes or not is_readable(one.file.line):
            record = _skipped(one.file.record, SkipReason.TOO_LARGE)
            one = ExtractedFile(encode_file(record))
        extracted.append(one)
    return extracted


def check_embedder(spec: EmbedderSpec, access: EmbedderConfig) -> None:
    """Raise EmbeddingError unless the vectors made here are of `spec`."""
    _opened(spec, access).check()


def embed_texts(spec: EmbedderSpec, access: EmbedderConfig, texts: Sequence[str]) -> bytes:
    """Return the vectors of the texts, packed one after the other. Raises EmbeddingError."""
    return packed_floats(_opened(spec, access).embed_documents(texts))


def _extracted(record: FileRecord, *, with_points: bool) -> ExtractedFile:
    inputs = embedder_inputs(record)
    return ExtractedFile(
        encode_file(record),
        inputs,
        [embedding_digest(text) for text in inputs],
        [_point_data(chunk) for chunk in record.chunks] if with_points else (),
    )


def _point_data(chunk: Chunk) -> PointData:
    return PointData(chunk.type, packed_terms(chunk.terms), packed_floats(chunk.terms.weights))


def embedder_inputs(record: FileRecord) -> list[str]:
    """Return the text that is embedded for each chunk of the file."""
    lines = split_lines(record.content)
    return [
        embedder_input(
            path=record.path, container=chunk.container, text=line_span(lines, chunk.span)
        )
        for chunk in record.chunks
    ]


def make_record(file: SourceFile) -> FileRecord:
    """Return the file's record without vectors. Never raises because of a file's content.

    A file that cannot be extracted is cut into windows; if that fails too, it is skipped.
    """
    entry = file.entry
    for attempt in (file, replace(file, degraded=DegradeReason.PARSE_FAILED)):
        try:
            return _read(attempt)
        except Exception:  # noqa: BLE001 (it is logged, and a file must not end the run)
            _log.exception("%s could not be extracted", entry.path)
    return _skipped(entry, entry.skipped or SkipReason.UNPROCESSABLE)


def _read(file: SourceFile) -> FileRecord:
    entry = file.entry
    if entry.skipped:
        manifest = read_manifest(entry.path, file.content)
        return replace(_skipped(entry, entry.skipped), manifest=manifest)
    reason = skip_reason_by_content(entry.path, file.content)
    if reason:
        return _skipped(entry, reason)
    return extract_file(
        path=entry.path,
        mode=entry.mode,
        blob=entry.blob,
        content=file.content,
        degraded=file.degraded,
    )


def _skipped(entry: TreeEntry | FileRecord, reason: SkipReason) -> FileRecord:
    return FileRecord(entry.path, entry.mode, entry.blob, entry.size, skipped=reason)
