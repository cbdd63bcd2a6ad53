"""What a worker process does: select by content, extract, encode; embed with a model that is here.

No git, no network, no secrets.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from indexer.bundle.encode import encode_file, packed_floats, packed_terms
from indexer.bundle.lines import Extracted, PointData
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
    line_span,
    split_lines,
)
from indexer.records.vectors import EmbedderAccess, EmbedderSpec, embedder_input, embedding_digest

_log = logging.getLogger(__name__)
_opened: Final = cache(open_embedder)


def extract_files(files: Sequence[SourceFile], *, with_points: bool) -> list[Extracted]:
    """One for each file, in order; `with_points`: with what a run needs that writes them itself."""
    return [_extracted(make_record(file), with_points=with_points) for file in files]


def check_embedder(spec: EmbedderSpec, access: EmbedderAccess) -> None:
    """Return if the vectors made here are of `spec`. Raises EmbeddingError."""
    _opened(spec, access).check()


def embed_texts(spec: EmbedderSpec, access: EmbedderAccess, texts: Sequence[str]) -> bytes:
    """The texts' vectors, packed, one after the other. Raises EmbeddingError."""
    return packed_floats(_opened(spec, access).embed_documents(texts))


def _extracted(record: FileRecord, *, with_points: bool) -> Extracted:
    inputs = embedder_inputs(record)
    return Extracted(
        encode_file(record),
        inputs,
        [embedding_digest(text) for text in inputs],
        [_point_data(chunk) for chunk in record.chunks] if with_points else (),
    )


def _point_data(chunk: Chunk) -> PointData:
    return PointData(chunk.type, packed_terms(chunk.terms), packed_floats(chunk.terms.weights))


def embedder_inputs(record: FileRecord) -> list[str]:
    """What is embedded for each chunk of the file."""
    lines = split_lines(record.content)
    return [
        embedder_input(
            path=record.path, container=chunk.container, text=line_span(lines, chunk.span)
        )
        for chunk in record.chunks
    ]


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
