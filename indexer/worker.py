"""What a worker process does: select by content, extract, embed. No git, no network."""

import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexer.chunking import chunk_text
from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder
from indexer.extraction import extract_file
from indexer.lexical import document_terms
from indexer.records import (
    Chunk,
    DegradeReason,
    EmbedderSpec,
    FileRecord,
    TreeEntry,
    embedder_input,
    line_span,
    split_lines,
)
from indexer.selection import skip_reason_by_content

_state: dict[str, Embedder] = {}  # one process serves one run, so one embedder


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that its entry lets through. `degraded`: cut it into windows, without a grammar."""

    entry: TreeEntry
    content: bytes
    degraded: DegradeReason | None = None


def start(spec: EmbedderSpec) -> None:
    """Prepare the process. Ctrl-C is for the parent, which then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _state["embedder"] = open_embedder(spec)


def process_files(files: Sequence[SourceFile]) -> list[FileRecord]:
    """One record per file, in order, with vectors. Needs `start` to have run in this process."""
    return embed_records([_extract(file) for file in files], _state["embedder"])


def _extract(file: SourceFile) -> FileRecord:
    entry = file.entry
    reason = skip_reason_by_content(entry.path, file.content)
    if reason:
        return FileRecord(entry.path, entry.mode, entry.blob, entry.size, skipped=reason)
    if file.degraded:
        return _windows(file)
    return extract_file(path=entry.path, mode=entry.mode, blob=entry.blob, content=file.content)


def _windows(file: SourceFile) -> FileRecord:
    entry, text = file.entry, file.content.decode()
    lines = split_lines(text)
    chunks = (
        Chunk(
            span=piece.span,
            type=piece.type,
            name="",
            container="",
            terms=document_terms(path=entry.path, name="", text=line_span(lines, piece.span)),
        )
        for piece in chunk_text(lines)
    )
    return FileRecord(
        path=entry.path,
        mode=entry.mode,
        blob=entry.blob,
        size=entry.size,
        degraded=file.degraded,
        content=text,
        chunks=tuple(chunks),
    )


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
