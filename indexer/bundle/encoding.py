"""Records → lines. The lines hold what `decoding` reads."""

import json
from binascii import b2a_base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from indexer.bundle.manifests import manifest_fields
from indexer.bundle.relations import relation_fields
from indexer.records import Chunk, FileRecord, Removal, Symbol, TreeEntry

_UINT32: Final = "<u4"
_FLOAT32: Final = "<f4"


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file's line in a batch, and what its run counts of it."""

    record: FileRecord  # without all that was read of the content: that is in the line
    line: bytes
    chunks: int
    symbols: int
    references: int


def encode_file(record: FileRecord) -> FileLine:
    """A file's line; what it holds is let go."""
    return FileLine(
        record=FileRecord(
            record.path,
            record.mode,
            record.blob,
            record.size,
            record.language,
            record.skipped,
            record.degraded,
        ),
        line=encode_record(record),
        chunks=len(record.chunks),
        symbols=len(record.symbols),
        references=len(record.references),
    )


def encode_records(records: Iterable[FileRecord | Removal]) -> bytes:
    """The decompressed body of a batch."""
    return b"".join(map(encode_record, records))


def encode_record(record: FileRecord | Removal) -> bytes:
    """One line of a batch, with its LF."""
    if isinstance(record, Removal):
        return _line({"path": record.path, "removed": True})
    return _line(
        {
            "path": record.path,
            "mode": record.mode,
            "blob": record.blob,
            "size": record.size,
            "language": record.language,
            "skipped": record.skipped,
            "degraded": record.degraded,
            "content": record.content,
            "chunks": [_chunk_fields(chunk) for chunk in record.chunks],
            "symbols": [_symbol_fields(symbol) for symbol in record.symbols],
            **relation_fields(record),
            "manifest": record.manifest and manifest_fields(record.manifest),
        }
    )


def _chunk_fields(chunk: Chunk) -> dict[str, object]:
    return {
        "start": chunk.span.start,
        "end": chunk.span.end,
        "type": chunk.type,
        "name": chunk.name,
        "container": chunk.container,
        "terms": _base64(chunk.terms.ids.astype(_UINT32).tobytes()),
        "weights": _base64(chunk.terms.weights.astype(_FLOAT32).tobytes()),
        "vector": (
            None if chunk.vector is None else _base64(chunk.vector.astype(_FLOAT32).tobytes())
        ),
    }


def _symbol_fields(symbol: Symbol) -> dict[str, object]:
    return {
        "name": symbol.name,
        "qualified_name": symbol.qualified_name,
        "kind": symbol.kind,
        "start": symbol.span.start,
        "end": symbol.span.end,
        "signature": symbol.signature,
        "exported": symbol.exported,
    }


def encode_tree(entries: Iterable[TreeEntry]) -> bytes:
    """The body of a tree upload."""
    return b"".join(
        _line(
            {
                "path": entry.path,
                "mode": entry.mode,
                "blob": entry.blob,
                "size": entry.size,
                "skipped": entry.skipped,
            }
        )
        for entry in entries
    )


def _line(fields: dict[str, object]) -> bytes:
    text = json.dumps(fields, ensure_ascii=False, check_circular=False, separators=(",", ":"))
    return text.encode() + b"\n"


def _base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")
