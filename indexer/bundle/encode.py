"""Encoding of records to lines, which `decode` reads.

A line comes from a worker process without vectors; they are inserted later. Vectors are packed:
little-endian float32, which the line holds in base64.
"""

from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, to_builtins
from msgspec.json import Decoder, Encoder

from indexer.bundle.schema import (
    BATCH_VALUES,
    FILE_LINES,
    ChangeRow,
    ChunkFields,
    CommitFields,
    CommitLineFields,
    CommitRemovalFields,
    EntryFields,
    FileFields,
    ManifestFields,
    RemovalFields,
    ScipFields,
    ScipLineFields,
    ScipRemovalFields,
    SymbolFields,
    UnparsedFields,
)
from indexer.errors import TreeTooLargeError
from indexer.json_values import has_more_values
from indexer.records.files import FileRecord, Removal, TreeEntry, Unparsed, count_lines
from indexer.records.history import Commit, CommitRemoval
from indexer.records.manifests import Manifest
from indexer.records.runs import TREE_BYTES
from indexer.records.scip import ScipDocument, ScipRemoval
from indexer.records.vectors import FLOAT32, UINT32, VALUE_BYTES, TermVector

if TYPE_CHECKING:  # a run's main process handles no array
    import numpy as np
    from numpy.typing import NDArray

_ENCODER: Final = Encoder()
# Quotation marks in strings are escaped, so only a chunk's own member matches.
_NULL_VECTOR: Final = b'"vector":null'
_ENTRIES_AT_ONCE: Final = 10_000
_QUOTES_LESS_NULL: Final = len(b'""') - len(b"null")


class _Content(Struct):
    """The fields of a long line that are checked."""

    content: str


_CONTENT: Final = Decoder(_Content)


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file's line in a batch, and its counts for the run's statistics."""

    record: FileRecord  # without the data extracted from the content, which is in the line
    line: bytes
    chunks: int
    symbols: int
    references: int
    embedded: int = 0  # chunks whose vector this run computed


@dataclass(frozen=True, slots=True)
class PointData:
    """A chunk's point without its vector; terms and weights packed as in the line."""

    type: str
    terms: bytes
    weights: bytes


@dataclass(frozen=True, slots=True)
class ExtractedFile:
    """A file's line without vectors and, in the order of its chunks, the data to add them."""

    file: FileLine
    inputs: Sequence[str] | Sequence[bytes] = ()  # of the embedder, or their packed vectors
    digests: Sequence[bytes] = ()  # of the embedder's inputs
    points: Sequence[PointData] = ()  # only for a run with direct upload


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
            generated=record.generated,
            unparsed=record.unparsed,
            encoding=record.encoding,
            language_declared=record.language_declared,
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


def encode_scip(record: ScipDocument | ScipRemoval) -> bytes:
    """Encode one line about a document of a SCIP index, with its LF."""
    if isinstance(record, ScipRemoval):
        return _ENCODER.encode_lines([ScipRemovalFields(record.path)])
    return _ENCODER.encode_lines([ScipLineFields(ScipFields(**_same(ScipFields, record)))])


def encode_commit(record: Commit | CommitRemoval, *, has_lines: bool = True) -> bytes:
    """Encode one line about a commit, with its LF.

    Services without COMMIT_LINES among their fields read no changed lines.
    """
    if isinstance(record, CommitRemoval):
        return _ENCODER.encode_lines([CommitRemovalFields(record.sha)])
    changes: list[Any] = [
        ChangeRow(**_same(ChangeRow, change))
        if has_lines
        else (change.path, change.status, change.old_path)
        for change in record.changes
    ]
    fields = CommitFields(**_same(CommitFields, record) | {"changes": changes})
    return _ENCODER.encode_lines([CommitLineFields(fields)])


def encode_tree(entries: Sequence[TreeEntry]) -> Iterator[bytes]:
    """Yield the body of a tree upload in parts. Raises TreeTooLargeError beyond TREE_BYTES."""
    size = 0
    for start in range(0, len(entries), _ENTRIES_AT_ONCE):
        part = _ENCODER.encode_lines(
            EntryFields(file.path, file.mode, file.blob, file.size, file.skipped)  # type: ignore[arg-type]
            for file in entries[start : start + _ENTRIES_AT_ONCE]
        )
        size += len(part)
        if size > TREE_BYTES:
            raise TreeTooLargeError(f"the paths of the commit have more than {TREE_BYTES:,} bytes")
        yield part


def manifest_fields(manifest: Manifest) -> dict[str, Any]:
    """Return the JSON object of a manifest, as central stores it."""
    fields: dict[str, Any] = to_builtins(_manifest_fields(manifest))
    return fields


def packed_terms(terms: TermVector) -> bytes:
    """Pack term ids for the wire format."""
    return terms.ids.astype(UINT32).tobytes()


def packed_floats(values: "NDArray[np.float32]") -> bytes:
    """Pack vectors or weights for the wire format."""
    return values.astype(FLOAT32, copy=False).tobytes()


def insert_vectors(line: bytes, vectors: Sequence[bytes | None]) -> bytes:
    """Insert vectors into the line's chunks, which have none yet; None skips a chunk."""
    head, *rest = line.split(_NULL_VECTOR)
    parts = [head]
    for vector, following in zip(vectors, rest, strict=True):
        if vector is None:
            parts.append(_NULL_VECTOR)
        else:
            parts += (b'"vector":"', b2a_base64(vector, newline=False), b'"')
        parts.append(following)
    return b"".join(parts)


def size_with_vectors(file: FileLine, *, dimensions: int) -> int:
    """Return the bytes of a line once all its chunks have vectors."""
    packed = VALUE_BYTES * dimensions
    return len(file.line) + file.chunks * (_QUOTES_LESS_NULL + 4 * -(-packed // 3))


def is_readable(line: bytes) -> bool:
    """Whether the line is within a reader's limits of values and of lines of content."""
    if len(line) <= BATCH_VALUES:
        return True
    if len(line) > 2 * FILE_LINES and count_lines(_CONTENT.decode(line).content) > FILE_LINES:
        return False
    return not has_more_values(line, BATCH_VALUES)


def _file_fields(record: FileRecord) -> FileFields:
    read = {
        "chunks": [
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
        "symbols": [
            SymbolFields(
                symbol.name,
                symbol.qualified_name,
                symbol.kind,
                *symbol.span,
                symbol.signature,
                symbol.exported,
            )
            for symbol in record.symbols
        ],
        "manifest": None if record.manifest is None else _manifest_fields(record.manifest),
        "unparsed": None if record.unparsed is None else _unparsed_fields(record.unparsed),
    }
    return FileFields(**_same(FileFields, record) | read)


def _same(fields: type[Struct], record: object) -> dict[str, Any]:
    """Return a record's values by the names of a line's fields; tuples are written as arrays."""
    return {name: getattr(record, name) for name in fields.__struct_fields__}


def _unparsed_fields(unparsed: Unparsed) -> UnparsedFields:
    lines = [(line.start, line.end, line.calls) for line in unparsed.lines]
    return UnparsedFields(lines, list(unparsed.names), unparsed.is_complete)


def _manifest_fields(manifest: Manifest) -> ManifestFields:
    rows = {
        "dependencies": tuple((needed.name, needed.required) for needed in manifest.dependencies),
        "pins": tuple((pin.name, pin.version) for pin in manifest.pins),
        "uses": tuple((use.user, use.name, use.required, use.version) for use in manifest.uses),
    }
    return ManifestFields(**_same(ManifestFields, manifest) | rows)
