"""Encoding of records to lines, which `decode` reads."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins
from msgspec.json import Encoder

from indexer.bundle.lines import FileLine
from indexer.bundle.schema import (
    ChunkFields,
    EntryFields,
    FileFields,
    ManifestFields,
    RemovalFields,
    SymbolFields,
)
from indexer.records.files import FileRecord, Removal, TreeEntry
from indexer.records.manifests import Manifest
from indexer.records.vectors import TermVector

if TYPE_CHECKING:  # a run's main process handles no array
    import numpy as np
    from numpy.typing import NDArray

_UINT32: Final = "<u4"
_FLOAT32: Final = "<f4"
_ENCODER: Final = Encoder()


def encode_file(record: FileRecord) -> FileLine:
    """Encode a file's line; the result does not keep the record's content."""
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
    """Encode the decompressed body of a batch."""
    return b"".join(map(encode_record, records))


def encode_record(record: FileRecord | Removal) -> bytes:
    """Encode one line of a batch, with its LF."""
    if isinstance(record, Removal):
        return _ENCODER.encode_lines([RemovalFields(record.path, removed=True)])
    return _ENCODER.encode_lines([_file_fields(record)])


def encode_tree(entries: Iterable[TreeEntry]) -> bytes:
    """Encode the body of a tree upload."""
    return _ENCODER.encode_lines(
        [EntryFields(one.path, one.mode, one.blob, one.size, one.skipped) for one in entries]  # type: ignore[arg-type]
    )


def manifest_fields(manifest: Manifest) -> dict[str, Any]:
    """Return the JSON object of a manifest, as central stores it."""
    fields: dict[str, Any] = to_builtins(_manifest_fields(manifest))
    return fields


def packed_terms(terms: TermVector) -> bytes:
    """Pack term ids for the wire format."""
    return terms.ids.astype(_UINT32).tobytes()


def packed_floats(values: "NDArray[np.float32]") -> bytes:
    """Pack vectors or weights for the wire format."""
    return values.astype(_FLOAT32, copy=False).tobytes()


def _file_fields(record: FileRecord) -> FileFields:
    return FileFields(
        path=record.path,
        mode=record.mode,  # type: ignore[arg-type] # a Literal
        blob=record.blob,
        size=record.size,
        language=record.language,
        skipped=record.skipped,
        degraded=record.degraded,
        content=record.content,
        chunks=[
            ChunkFields(
                *chunk.span,
                chunk.type,
                chunk.name,
                chunk.container,
                packed_terms(chunk.terms),
                packed_floats(chunk.terms.weights),
                None if chunk.vector is None else packed_floats(chunk.vector),
            )
            for chunk in record.chunks
        ],
        symbols=[
            SymbolFields(
                one.name, one.qualified_name, one.kind, *one.span, one.signature, one.exported
            )
            for one in record.symbols
        ],
        namespace=record.namespace,
        imports=record.imports,  # type: ignore[arg-type] # named tuples are written as arrays
        exports=record.exports,  # type: ignore[arg-type]
        references=record.references,  # type: ignore[arg-type]
        manifest=None if record.manifest is None else _manifest_fields(record.manifest),
    )


def _manifest_fields(manifest: Manifest) -> ManifestFields:
    return ManifestFields(
        ecosystem=manifest.ecosystem,
        name=manifest.name,
        version=manifest.version,
        import_names=manifest.import_names,
        source_roots=manifest.source_roots,
        entries=manifest.entries,
        aliases=manifest.aliases,
        members=manifest.members,
        dependencies=tuple((one.name, one.required) for one in manifest.dependencies),
        pins=tuple((one.name, one.version) for one in manifest.pins),
    )
