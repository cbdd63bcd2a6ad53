"""Decoding of lines to records.

Checks everything that central stores, so that an apply never fails on content.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import starmap
from typing import Final, NamedTuple, NoReturn, TypeVar, get_args

from msgspec import MsgspecError, ValidationError, convert
from msgspec.json import Decoder

from indexer.bundle.schema import (
    ChunkFields,
    EntryFields,
    FileFields,
    ManifestFields,
    Mode,
    RemovalFields,
    SymbolFields,
)
from indexer.bundle.vectors import decode_terms, decode_vectors
from indexer.errors import BundleError
from indexer.json_values import has_more_values
from indexer.limits import (
    BATCH_VALUES,
    FILE_LINES,
    MODULE_PATH_BYTES,
    PATH_BYTES,
    TREE_LINE_BYTES,
)
from indexer.records.files import (
    Chunk,
    FileRecord,
    Removal,
    SkipReason,
    Span,
    Symbol,
    count_lines,
)
from indexer.records.manifests import Dependency, Manifest, Pin
from indexer.records.references import Export, Import, Reference

_T = TypeVar("_T")

_COMPONENT = r'(?!\.{1,2}[/"])[^/"\\\x00-\x1f]++'
_USUAL_LINE = re.compile(
    rf'^\{{"path":"({_COMPONENT}(?:/{_COMPONENT})*+)","mode":"({"|".join(get_args(Mode))})",'
    r'"blob":"([0-9a-f]{40}(?:[0-9a-f]{24})?)","size":(0|[1-9][0-9]{0,17}),'
    rf'"skipped":(?:null|"({"|".join(SkipReason)})")\}}$',
    re.MULTILINE,
)
_NO_COMPONENT: Final = re.compile(r"(?:\A|/)\.{0,2}(?:/|\Z)")  # empty, . or ..
# In valid JSON backslashes occur only in strings; an even number before `u` is no escape.
_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*+\\u0000")
_INVALID_ENUM: Final = re.compile(r"(Invalid enum value) .*", re.DOTALL)  # ends with the value
_PROBLEM_CHARACTERS: Final = 100

_FILE: Final = Decoder(FileFields)
_REMOVAL: Final = Decoder(RemovalFields)
_ENTRY: Final = Decoder(EntryFields)


class TreeColumns(NamedTuple):
    """Lines of a tree by column, with the fields of TreeEntry. `skipped` may be None."""

    path: Sequence[str]
    mode: Sequence[str]
    blob: Sequence[str]
    size: Sequence[int]
    skipped: Sequence[str | None]


def decode_records(body: bytes, *, dimensions: int) -> Iterator[FileRecord | Removal]:
    """Check and read a batch line by line; paths must be unique.

    Raises BundleError: `batch_malformed`, `batch_path_invalid`, `batch_duplicate_path`,
    `batch_too_large` or `batch_wrong_dimensions`, after it has yielded the lines before a bad one.
    """
    if has_more_values(body, BATCH_VALUES):
        raise BundleError(
            f"the batch holds more than {BATCH_VALUES} values", code="batch_too_large"
        )
    seen: set[str] = set()
    for number, line in enumerate(BytesIO(body), start=1):
        where = f"line {number}"
        record = _record(_parsed(_file_or_removal, line, where), where, dimensions)
        if record.path in seen:
            raise BundleError(
                f"{where}: path came on an earlier line too", code="batch_duplicate_path"
            )
        seen.add(record.path)
        yield record


def decode_tree(parts: Iterable[bytes]) -> Iterator[TreeColumns]:
    """Check and read a tree in parts; yields for each part the lines that end in it.

    Does not check that paths are unique, which would hold all paths in memory. Raises BundleError:
    `batch_malformed` or `batch_path_invalid`.
    """
    number = 1
    for block in _blocks(parts):
        columns = _usual_lines(block)
        yield columns or _any_lines(block.removesuffix(b"\n").split(b"\n"), number)
        number += block.count(b"\n")


def read_manifest(value: object, *, where: str) -> Manifest:
    """Check and read a manifest that was stored as JSON. Raises BundleError."""
    try:
        return _manifest(convert(value, ManifestFields))
    except ValidationError as exc:
        _refuse(where, _problem_of(exc))


def _blocks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the whole lines that end in each part."""
    rest = b""
    for part in parts:
        lines, end, rest = (rest + part).rpartition(b"\n")
        if len(rest) > TREE_LINE_BYTES:
            raise _long_line()
        if end:
            yield lines + end
    if rest:
        yield rest + b"\n"


def _long_line() -> BundleError:
    return BundleError(f"a line of the tree has more than {TREE_LINE_BYTES} bytes")


def _usual_lines(block: bytes) -> TreeColumns | None:
    """Read the lines if all have the form that `encode` writes, without escapes; else None."""
    try:
        rows = _USUAL_LINE.findall(block.decode())
    except UnicodeDecodeError:
        return None
    if len(rows) != block.count(b"\n"):
        return None
    path, mode, blob, size, skipped = zip(*rows, strict=True)
    if max(map(len, path)) > PATH_BYTES // 4 and any(map(_problem_of_path, path)):
        return None
    return TreeColumns(path, mode, blob, list(map(int, size)), [word or None for word in skipped])


def _any_lines(lines: Sequence[bytes], first: int) -> TreeColumns:
    entries = []
    for number, line in enumerate(lines, start=first):
        if len(line) > TREE_LINE_BYTES:
            raise _long_line()
        entry = _parsed(_ENTRY.decode, line, f"line {number}")
        _require_path(entry.path, f"line {number}")
        entries.append(entry)
    return TreeColumns(
        *([getattr(entry, name) for entry in entries] for name in TreeColumns._fields)
    )


def _parsed(decode: Callable[[bytes], _T], line: bytes, where: str) -> _T:
    try:
        fields = decode(line)
    except ValidationError as exc:
        _refuse(where, _problem_of(exc))
    except (MsgspecError, UnicodeDecodeError, RecursionError) as exc:  # or a lone surrogate
        raise BundleError(f"{where}: must be one JSON object in UTF-8") from exc
    if b"\\u0000" in line and _NUL.search(line):
        _refuse(where, "must not hold a NUL character")
    return fields


def _file_or_removal(line: bytes) -> FileFields | RemovalFields:
    try:
        return _FILE.decode(line)
    except ValidationError:
        with suppress(MsgspecError):
            return _REMOVAL.decode(line)
        raise


def _problem_of(exc: ValidationError) -> str:
    """Describe the error's position and kind, without the value, which may be long."""
    problem, separator, location = str(exc).rpartition(" - at `$")
    if not separator:
        problem, location = location, ""
    description = ": ".join(filter(None, (location.strip("`."), _INVALID_ENUM.sub(r"\1", problem))))
    return ascii(description[:_PROBLEM_CHARACTERS])[1:-1][:_PROBLEM_CHARACTERS]


def _refuse(where: str, problem: str, *, code: str = "batch_malformed") -> NoReturn:
    raise BundleError(f"{where}: {problem}", code=code)


def _require_path(path: str, where: str) -> None:
    if problem := _problem_of_path(path):
        _refuse(where, f"path {problem}", code="batch_path_invalid")


def _problem_of_path(path: str) -> str:
    """Explain why a path is not relative, POSIX and normalised. Control characters are legal."""
    if _NO_COMPONENT.search(path):
        return "must be relative, without an empty, . or .. component"
    if len(path.encode()) > PATH_BYTES:
        return f"must have at most {PATH_BYTES} bytes"
    return ""


def _record(
    fields: FileFields | RemovalFields, where: str, dimensions: int
) -> FileRecord | Removal:
    _require_path(fields.path, where)
    if isinstance(fields, FileFields):
        return _file(fields, where, dimensions)
    if not fields.removed:
        _refuse(where, "removed must be true")
    return Removal(fields.path)


def _file(fields: FileFields, where: str, dimensions: int) -> FileRecord:
    last_line = count_lines(fields.content)
    if last_line > FILE_LINES:
        _refuse(where, f"content must have at most {FILE_LINES} lines")
    _check_rows(fields, where, last_line)
    record = FileRecord(
        path=fields.path,
        mode=fields.mode,
        blob=fields.blob,
        size=fields.size,
        language=fields.language,
        skipped=fields.skipped,
        degraded=fields.degraded,
        content=fields.content,
        chunks=_chunks(fields.chunks, where, last_line, dimensions),
        symbols=_symbols(fields.symbols, where, last_line),
        namespace=fields.namespace,
        imports=tuple(starmap(Import, fields.imports)),
        exports=tuple(starmap(Export, fields.exports)),
        references=tuple(starmap(Reference, fields.references)),
        manifest=None if fields.manifest is None else _manifest(fields.manifest),
        generated=fields.generated,
    )
    if record.skipped:
        _require_bare(record, where)
    if record.generated and record.chunks:
        _refuse(where, "generated leaves no room for chunks")
    return record


def _check_rows(fields: FileFields, where: str, last_line: int) -> None:
    """Check what types cannot express: bounds by the content, and the bytes of paths."""
    last_column = len(fields.content)
    for index, row in enumerate(fields.references):
        if row[-2] > last_line or row[-1] > last_column:
            _refuse(where, f"references[{index}]: line or column must be within the content")
    for index, (*_, line) in enumerate(fields.imports):
        if line > last_line:
            _refuse(where, f"imports[{index}]: line must be within the content")
    _check_bytes(where, "imports", (row[2] for row in fields.imports))
    _check_bytes(where, "exports", (row[1] for row in fields.exports))


def _check_bytes(where: str, key: str, paths: Iterable[str]) -> None:
    """Check that paths are short enough for a key of an index."""
    for index, path in enumerate(paths):
        if not path.isascii() and len(path.encode()) > MODULE_PATH_BYTES:
            _refuse(where, f"{key}[{index}]: path must have at most {MODULE_PATH_BYTES} bytes")


def _manifest(fields: ManifestFields) -> Manifest:
    return Manifest(
        ecosystem=fields.ecosystem,
        name=fields.name,
        version=fields.version,
        import_names=fields.import_names,
        source_roots=fields.source_roots,
        entries=fields.entries,
        aliases=fields.aliases,
        members=fields.members,
        dependencies=tuple(starmap(Dependency, fields.dependencies)),
        pins=tuple(starmap(Pin, fields.pins)),
    )


def _require_bare(record: FileRecord, where: str) -> None:
    """Check that a skipped file has only its entry and language; a lock file may have pins."""
    bare = FileRecord(
        path=record.path,
        mode=record.mode,
        blob=record.blob,
        size=record.size,
        language=record.language,
        skipped=record.skipped,
        manifest=record.manifest if record.skipped is SkipReason.LOCK_FILE else None,
    )
    if record != bare:
        _refuse(where, "skipped leaves no room for content and what is read of it")


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
        Chunk(Span(one.start, one.end), one.type, one.name, one.container, own_terms, vector)
        for one, own_terms, vector in zip(chunks, terms, vectors, strict=True)
    )


def _require_ascending(chunks: list[ChunkFields], where: str, last_line: int) -> None:
    previous_end = 0
    for index, chunk in enumerate(chunks):
        _require_span(chunk, f"{where}: chunks[{index}]", last_line)
        if chunk.start <= previous_end:
            _refuse(where, f"chunks[{index}]: start must lie after the chunk before it")
        previous_end = chunk.end


def _require_span(one: ChunkFields | SymbolFields, where: str, last_line: int) -> None:
    if not one.start <= one.end <= last_line:
        _refuse(where, "start and end must be lines of the content, in order")


def _symbols(symbols: list[SymbolFields], where: str, last_line: int) -> tuple[Symbol, ...]:
    for index, one in enumerate(symbols):
        _require_span(one, f"{where}: symbols[{index}]", last_line)
    return tuple(
        Symbol(
            name=one.name,
            qualified_name=one.qualified_name,
            kind=one.kind,
            span=Span(one.start, one.end),
            signature=one.signature,
            exported=one.exported,
        )
        for one in symbols
    )
