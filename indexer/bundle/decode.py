"""Decoding of batches: lines to records.

Checks everything that central stores, so that an apply never fails on content.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import pairwise, starmap
from typing import Any, Final, TypeAlias

from msgspec import MsgspecError, ValidationError, convert
from msgspec.json import Decoder
from msgspec.structs import asdict

from indexer.bundle.lines import parse_line, refuse, require_path, validation_problem
from indexer.bundle.schema import (
    BATCH_VALUES,
    FILE_LINES,
    ChangeRow,
    ChunkFields,
    CommitFields,
    CommitLineFields,
    CommitRemovalFields,
    FileFields,
    ManifestFields,
    RemovalFields,
    ScipFields,
    ScipLineFields,
    ScipRemovalFields,
    SymbolFields,
    UnparsedFields,
)
from indexer.bundle.vectors import decode_terms, decode_vectors
from indexer.errors import BundleError
from indexer.json_values import has_more_values
from indexer.records.files import (
    TOOL_WRITTEN,
    UNPARSED_NAMES,
    UNPARSED_RANGES,
    Chunk,
    FileRecord,
    Removal,
    Span,
    Symbol,
    Unparsed,
    UnparsedLines,
    count_lines,
)
from indexer.records.history import (
    COMMIT_HUNKS_BYTES,
    HUNKS_BYTES,
    ChangeStatus,
    Commit,
    CommitRemoval,
    PathChange,
)
from indexer.records.hunks import HunkError, parse_hunks
from indexer.records.manifests import Dependency, Manifest, Pin, PinUse
from indexer.records.references import MODULE_PATH_BYTES, Export, Import, Reference
from indexer.records.scip import (
    SCIP_SYMBOL_BYTES,
    ScipDocument,
    ScipPlace,
    ScipRemoval,
    parse_symbol,
)

# By how a line begins: the fields of what is sent, and of what is removed.
_BEGINNINGS: Final[dict[bytes, tuple[Decoder[Any], Decoder[Any]]]] = {
    b'{"scip': (Decoder(ScipLineFields), Decoder(ScipRemovalFields)),
    b'{"commit': (Decoder(CommitLineFields), Decoder(CommitRemovalFields)),
    b"": (Decoder(FileFields), Decoder(RemovalFields)),
}

Record: TypeAlias = FileRecord | Removal | ScipDocument | ScipRemoval | Commit | CommitRemoval
_Line: TypeAlias = (
    FileFields
    | RemovalFields
    | ScipLineFields
    | ScipRemovalFields
    | CommitLineFields
    | CommitRemovalFields
)


def decode_records(body: bytes, *, dimensions: int) -> Iterator[Record]:
    """Check and read a batch line by line.

    Paths must be unique among files and removals, and among documents of SCIP indexes; a commit
    comes once, and so does a removal of it: it may come again.

    Raises BundleError: `batch_malformed`, `batch_path_invalid`, `batch_duplicate_path`,
    `batch_too_large` or `batch_wrong_dimensions`, after it has yielded the lines before a bad one.
    """
    if has_more_values(body, BATCH_VALUES):
        raise BundleError(
            f"the batch holds more than {BATCH_VALUES} values", code="batch_too_large"
        )
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(BytesIO(body), start=1):
        where = f"line {number}"
        record = _record(parse_line(_fields, line, where), where, dimensions)
        key = _key(record)
        if key in seen:
            raise BundleError(
                f"{where}: {key[0]} came on an earlier line too", code="batch_duplicate_path"
            )
        seen.add(key)
        yield record


def read_manifest(value: object, *, where: str) -> Manifest:
    """Check and read a manifest that was stored as JSON. Raises BundleError."""
    try:
        return _manifest(convert(value, ManifestFields))
    except ValidationError as exc:
        refuse(where, validation_problem(exc))


def _key(record: Record) -> tuple[str, str]:
    """Return what a record is of, and the word for what must come once in a batch."""
    if isinstance(record, Commit):
        return "commit", record.sha
    if isinstance(record, CommitRemoval):
        return "removal of a commit", record.sha
    is_document = isinstance(record, ScipDocument | ScipRemoval)
    return "path of a SCIP index" if is_document else "path", record.path


def _fields(line: bytes) -> _Line:
    decoders = next(own for begins, own in _BEGINNINGS.items() if line.startswith(begins))
    sent, removed = decoders
    fields: _Line
    try:
        fields = sent.decode(line)
    except ValidationError:
        with suppress(MsgspecError):
            fields = removed.decode(line)
            return fields
        raise
    return fields


def _record(fields: _Line, where: str, dimensions: int) -> Record:
    if isinstance(fields, CommitRemovalFields):
        return CommitRemoval(fields.commit_removed)
    if isinstance(fields, CommitLineFields):
        return _commit(fields.commit, where)
    if isinstance(fields, ScipRemovalFields):
        require_path(fields.scip_removed, where)
        return ScipRemoval(fields.scip_removed)
    if isinstance(fields, ScipLineFields):
        return _scip(fields.scip, where)
    require_path(fields.path, where)
    if isinstance(fields, FileFields):
        return _file(fields, where, dimensions)
    if not fields.removed:
        refuse(where, "removed must be true")
    return Removal(fields.path)


def _commit(fields: CommitFields, where: str) -> Commit:
    for row in fields.changes:
        _check_change(row, where, parents=max(1, len(fields.parents)))
    if any(row.path >= other.path for row, other in pairwise(fields.changes)):
        refuse(where, "changes: must be sorted by their paths, each once")
    if sum(len(row.hunks.encode()) for row in fields.changes) > COMMIT_HUNKS_BYTES:
        refuse(where, f"changes: more than {COMMIT_HUNKS_BYTES} bytes of hunks")
    if fields.changed < len(fields.changes):
        refuse(where, "changed: must count all changes")
    rows = {
        "parents": tuple(fields.parents),
        "reverts": tuple(fields.reverts),
        "changes": tuple(PathChange(**asdict(row)) for row in fields.changes),
    }
    return Commit(**asdict(fields) | rows)


def _check_change(row: ChangeRow, where: str, *, parents: int) -> None:
    require_path(row.path, where)
    if bool(row.old_path) != (row.status is ChangeStatus.RENAMED):
        refuse(where, "changes: a rename, and nothing else, has an old path")
    if row.old_path:
        require_path(row.old_path, where)
    if row.hunks and row.unread:
        refuse(where, f"changes: hunks of a path whose lines are {row.unread}")
    if len(row.hunks.encode()) > HUNKS_BYTES:
        refuse(where, f"changes: more than {HUNKS_BYTES} bytes of hunks of a path")
    try:
        hunks = list(parse_hunks(row.hunks))
    except HunkError as exc:
        refuse(where, f"changes: {exc}")
    if any(len(hunk.old) != parents for hunk in hunks):
        refuse(where, "changes: hunks of another number of parents")


def _scip(fields: ScipFields, where: str) -> ScipDocument:
    require_path(fields.path, where)
    if not fields.tool.isprintable():
        refuse(where, "tool: must hold no control characters")
    _require_sorted(fields.symbols, where, "symbols")
    for index, text in enumerate(fields.symbols):
        symbol = parse_symbol(text)
        if symbol is None or symbol.version or not symbol.descriptors:
            refuse(where, f"symbols[{index}]: must be a global symbol without a version")
        if len(text.encode()) > SCIP_SYMBOL_BYTES:
            refuse(where, f"symbols[{index}]: must have at most {SCIP_SYMBOL_BYTES} bytes")
    for key, rows in (("definitions", fields.definitions), ("references", fields.references)):
        _require_sorted(rows, where, key)
        if any(row[2] >= len(fields.symbols) for row in rows):
            refuse(where, f"{key}: each must have the number of a symbol")
    _require_sorted(fields.relationships, where, "relationships")
    if any(max(pair) >= len(fields.symbols) for pair in fields.relationships):
        refuse(where, "relationships: each must have the numbers of two symbols")
    places = {
        "symbols": tuple(fields.symbols),
        "definitions": tuple(starmap(ScipPlace, fields.definitions)),
        "references": tuple(starmap(ScipPlace, fields.references)),
        "relationships": tuple(fields.relationships),
    }
    return ScipDocument(**asdict(fields) | places)


def _require_sorted(rows: Sequence[str] | Sequence[tuple[int, ...]], where: str, key: str) -> None:
    if any(row >= other for row, other in pairwise(rows)):  # type: ignore[operator]
        refuse(where, f"{key}: must be sorted, each once")


def _file(fields: FileFields, where: str, dimensions: int) -> FileRecord:
    last_line = count_lines(fields.content)
    if last_line > FILE_LINES:
        refuse(where, f"content must have at most {FILE_LINES} lines")
    _check_rows(fields, where, last_line)
    read = {
        "chunks": _chunks(fields.chunks, where, last_line, dimensions),
        "symbols": _symbols(fields.symbols, where, last_line),
        "imports": tuple(starmap(Import, fields.imports)),
        "exports": tuple(starmap(Export, fields.exports)),
        "references": tuple(starmap(Reference, fields.references)),
        "manifest": None if fields.manifest is None else _manifest(fields.manifest),
        "unparsed": _unparsed(fields.unparsed, where, last_line),
    }
    record = FileRecord(**asdict(fields) | read)
    if record.skipped:
        _require_bare(record, where)
    if record.generated and record.chunks:
        refuse(where, "generated leaves no room for chunks")
    return record


def _unparsed(fields: UnparsedFields | None, where: str, last_line: int) -> Unparsed | None:
    if fields is None:
        return None
    if len(fields.lines) > UNPARSED_RANGES or len(fields.names) > UNPARSED_NAMES:
        refuse(where, f"unparsed has at most {UNPARSED_RANGES} lines and {UNPARSED_NAMES} names")
    before = 0
    for start, end, _calls in fields.lines:
        if not before < start <= end <= last_line:
            refuse(where, "unparsed: lines must be ranges of the content, in order")
        before = end
    lines = tuple(starmap(UnparsedLines, fields.lines))
    return Unparsed(lines, tuple(fields.names), fields.scanned)


def _check_rows(fields: FileFields, where: str, last_line: int) -> None:
    """Check what types cannot express: bounds by the content, and the bytes of paths."""
    last_column = len(fields.content)
    for index, row in enumerate(fields.references):
        if row[-2] > last_line or row[-1] > last_column:
            refuse(where, f"references[{index}]: line or column must be within the content")
    for index, (*_, line) in enumerate(fields.imports):
        if line > last_line:
            refuse(where, f"imports[{index}]: line must be within the content")
    _check_bytes(where, "imports", (row[2] for row in fields.imports))
    _check_bytes(where, "exports", (row[1] for row in fields.exports))


def _check_bytes(where: str, key: str, paths: Iterable[str]) -> None:
    """Check that paths are short enough for a key of an index."""
    for index, path in enumerate(paths):
        if not path.isascii() and len(path.encode()) > MODULE_PATH_BYTES:
            refuse(where, f"{key}[{index}]: path must have at most {MODULE_PATH_BYTES} bytes")


def _manifest(fields: ManifestFields) -> Manifest:
    rows = {
        "dependencies": tuple(starmap(Dependency, fields.dependencies)),
        "pins": tuple(starmap(Pin, fields.pins)),
        "uses": tuple(starmap(PinUse, fields.uses)),
    }
    return Manifest(**asdict(fields) | rows)


def _require_bare(record: FileRecord, where: str) -> None:
    """Check that a skipped file has its entry and language alone, or is a tool's manifest."""
    bare = FileRecord(
        path=record.path,
        mode=record.mode,
        blob=record.blob,
        size=record.size,
        language=record.language,
        skipped=record.skipped,
        manifest=record.manifest if record.skipped in TOOL_WRITTEN else None,
        language_declared=record.language_declared,
    )
    if record != bare:
        refuse(where, "skipped leaves no room for content and what is read of it")


def _chunks(
    chunks: list[ChunkFields], where: str, last_line: int, dimensions: int
) -> tuple[Chunk, ...]:
    if not chunks:
        return ()
    terms = decode_terms(
        [chunk.terms for chunk in chunks], [chunk.weights for chunk in chunks], where=where
    )
    vectors = decode_vectors([chunk.vector for chunk in chunks], dimensions=dimensions, where=where)
    _require_ascending(chunks, where, last_line)
    return tuple(
        Chunk(
            Span(chunk_fields.start, chunk_fields.end),
            chunk_fields.type,
            chunk_fields.name,
            chunk_fields.container,
            own_terms,
            vector,
        )
        for chunk_fields, own_terms, vector in zip(chunks, terms, vectors, strict=True)
    )


def _require_ascending(chunks: list[ChunkFields], where: str, last_line: int) -> None:
    previous_end = 0
    for index, chunk in enumerate(chunks):
        _require_span(chunk, f"{where}: chunks[{index}]", last_line)
        if chunk.start <= previous_end:
            refuse(where, f"chunks[{index}]: start must lie after the chunk before it")
        previous_end = chunk.end


def _require_span(fields: ChunkFields | SymbolFields, where: str, last_line: int) -> None:
    if not fields.start <= fields.end <= last_line:
        refuse(where, "start and end must be lines of the content, in order")


def _symbols(symbols: list[SymbolFields], where: str, last_line: int) -> tuple[Symbol, ...]:
    for index, symbol in enumerate(symbols):
        _require_span(symbol, f"{where}: symbols[{index}]", last_line)
    return tuple(
        Symbol(
            name=symbol.name,
            qualified_name=symbol.qualified_name,
            kind=symbol.kind,
            span=Span(symbol.start, symbol.end),
            signature=symbol.signature,
            exported=symbol.exported,
        )
        for symbol in symbols
    )
