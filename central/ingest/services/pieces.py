"""The chunks of a run's files, each with its point and the digest of what is embedded for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from central.corpus.embeddings import chunk_texts
from indexer.records.files import Chunk, FileRecord, Removal
from indexer.records.vectors import point_id

_PIECES = 256  # rows a statement


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk of a run."""

    record: FileRecord
    chunk: Chunk
    digest: bytes
    point: UUID


def pieces_of(run_id: UUID, records: Sequence[FileRecord | Removal]) -> Iterator[list[Piece]]:
    """Of all files in a batch, a slice at a time."""
    pieces = (
        Piece(record, chunk, digest, point_id(run_id, record.path, ordinal))
        for record in records
        if isinstance(record, FileRecord)
        for ordinal, (chunk, (_, digest)) in enumerate(
            zip(record.chunks, chunk_texts(record), strict=True)
        )
    )
    while part := list(islice(pieces, _PIECES)):
        yield part
