"""Records → lines. The lines hold what `decoding` reads."""

import json
from binascii import b2a_base64
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from indexer.bundle.lines import FileLine
from indexer.records.files import Chunk, FileRecord, Removal, Symbol, TreeEntry
from indexer.records.vectors import TermVector
from tests.indexer.bundle.old_format.manifests import manifest_fields
from tests.indexer.bundle.old_format.relations import relation_fields

if TYPE_CHECKING:  # a run's main process handles no array
    import numpy as np
    from numpy.typing import NDArray

_UINT32: Final = "<u4"
_FLOAT32: Final = "<f4"


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
        "terms": _base64(packed_terms(chunk.terms)),
        "weights": _base64(packed_floats(chunk.terms.weights)),
        "vector": None if chunk.vector is None else _base64(packed_floats(chunk.vector)),
    }


def packed_terms(terms: TermVector) -> bytes:
    """Term ids as the wire format has them."""
    return terms.ids.astype(_UINT32).tobytes()


def packed_floats(values: "NDArray[np.float32]") -> bytes:
    """A vector, several, or weights as the wire format has them."""
    return values.astype(_FLOAT32, copy=False).tobytes()


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
