"""The canonical dump: the same index gives the same bytes, however it came about."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db.models import F

from central.corpus.models import Chunk, File, Symbol, TermStat
from central.corpus.vectors import collection_of, vector_store
from central.repositories.models import Repository
from indexer.store.base import Collection, VectorStore

_ROWS = 1000


def dump_lines(repository: Repository) -> list[str]:
    """Sorted lines of compact JSON: files, chunks, symbols and the document frequencies' digest.

    Nothing in them depends on time, on the order of runs or on the repository's name. A chunk's
    `vector` says whether its point exists in the store. Raises StoreError.
    """
    store = vector_store()
    collection = collection_of(repository)
    lines = [
        *_files(repository),
        *_chunks(repository, store, collection),
        *_symbols(repository),
        _terms(repository),
    ]
    return sorted(json.dumps(line, sort_keys=True, separators=(",", ":")) for line in lines)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _files(repository: Repository) -> Iterator[dict[str, object]]:
    for file in File.objects.filter(repository=repository).iterator(chunk_size=_ROWS):
        yield {
            "type": "file",
            "path": file.path,
            "mode": file.mode,
            "blob": file.blob,
            "size": file.size,
            "extractor": file.extractor,
            "language": file.language,
            "skipped": file.skipped,
            "degraded": file.degraded,
            "content": _sha256(file.content.encode()),
        }


def _chunks(
    repository: Repository, store: VectorStore, collection: Collection
) -> Iterator[dict[str, object]]:
    rows = Chunk.objects.filter(repository=repository).select_related("file").defer("file__content")
    part: list[Chunk] = []
    for chunk in rows.iterator(chunk_size=_ROWS):
        part.append(chunk)
        if len(part) == _ROWS:
            yield from _chunk_lines(part, store.existing(collection, [c.point for c in part]))
            part = []
    yield from _chunk_lines(part, store.existing(collection, [c.point for c in part]))


def _chunk_lines(chunks: Sequence[Chunk], existing: set[UUID]) -> Iterator[dict[str, object]]:
    for chunk in chunks:
        yield {
            "type": "chunk",
            "path": chunk.file.path,
            "ordinal": chunk.ordinal,
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "chunk_type": chunk.type,
            "name": chunk.name,
            "container": chunk.container,
            "text": _sha256(chunk.text.encode()),
            "terms": _sha256(bytes(chunk.terms)),
            "vector": chunk.point in existing,
        }


def _symbols(repository: Repository) -> Iterator[dict[str, object]]:
    rows = Symbol.objects.filter(repository=repository).values(
        "name",
        "qualified_name",
        "kind",
        "start_line",
        "end_line",
        "signature",
        "exported",
        path=F("file__path"),
    )
    for row in rows.iterator(chunk_size=_ROWS):
        yield {"type": "symbol", **row}


def _terms(repository: Repository) -> dict[str, object]:
    rows = TermStat.objects.filter(repository=repository).order_by("term")
    digest = hashlib.sha256()
    count = 0
    for term, chunks in rows.values_list("term", "chunks").iterator(chunk_size=_ROWS):
        digest.update(f"{term}:{chunks}\n".encode())
        count += 1
    return {"type": "terms", "count": count, "frequencies": digest.hexdigest()}
