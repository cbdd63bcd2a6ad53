"""Lines → records. Checks whatever central stores, so that an apply cannot fail on content."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Final, NamedTuple

from indexer.bundle.vectors import read_terms, read_vectors
from indexer.errors import BundleError
from indexer.http_bodies import has_more_values
from indexer.limits import (
    BATCH_VALUES,
    FILE_LINES,
    LABEL_CHARACTERS,
    NAME_CHARACTERS,
    PATH_BYTES,
    TREE_LINE_BYTES,
)
from indexer.records.files import (
    Chunk,
    ChunkType,
    DegradeReason,
    FileRecord,
    Removal,
    SkipReason,
    Span,
    Symbol,
    TreeEntry,
    count_lines,
)
from indexer.records.manifests import Manifest
from tests.indexer.bundle.old_format.fields import Fields, are_paths
from tests.indexer.bundle.old_format.manifests import read_manifest
from tests.indexer.bundle.old_format.relations import (
    RELATION_KEYS,
    read_exports,
    read_imports,
    read_references,
)

MODES: Final = frozenset({"100644", "100755", "100664", "120000", "160000"})

_BLOB = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")

_TREE_KEYS = frozenset({"path", "mode", "blob", "size", "skipped"})
_FILE_KEYS = _TREE_KEYS.union(
    {"language", "degraded", "content", "chunks", "symbols", "manifest"}, RELATION_KEYS
)
_REMOVAL_KEYS = frozenset({"path", "removed"})
_CHUNK_KEYS = frozenset({"start", "end", "type", "name", "container", "terms", "weights", "vector"})
_SYMBOL_KEYS = frozenset(
    {"name", "qualified_name", "kind", "start", "end", "signature", "exported"}
)

_COMPONENT = r'(?!\.{1,2}[/"])[^/"\\\x00-\x1f]++'
_USUAL_LINE = re.compile(
    rf'^\{{"path":"({_COMPONENT}(?:/{_COMPONENT})*+)","mode":"({"|".join(sorted(MODES))})",'
    r'"blob":"([0-9a-f]{40}(?:[0-9a-f]{24})?)","size":(0|[1-9][0-9]{0,17}),'
    rf'"skipped":(?:null|"({"|".join(SkipReason)})")\}}$',
    re.MULTILINE,
)


class TreeColumns(NamedTuple):
    """Some lines of a tree: the fields of TreeEntry, each of all lines. `skipped` may be None."""

    path: Sequence[str]
    mode: Sequence[str]
    blob: Sequence[str]
    size: Sequence[int]
    skipped: Sequence[str | None]


def decode_records(body: bytes, *, dimensions: int) -> Iterator[FileRecord | Removal]:
    """Check and read a batch line by line; a path may come once.

    Raises BundleError: `batch_malformed`, `batch_path_invalid`, `batch_duplicate_path`,
    `batch_too_large` or `batch_wrong_dimensions`. Lines before a bad one have been yielded by then.
    """
    if has_more_values(body, BATCH_VALUES):
        raise BundleError(
            f"the batch holds more than {BATCH_VALUES} values", code="batch_too_large"
        )
    seen: set[str] = set()
    for number, line in enumerate(BytesIO(body), start=1):
        where = f"line {number}"
        value = _json(line, where)
        record = _record(value, where, dimensions)
        if record.path in seen:
            raise BundleError(
                f"{where}: path came on an earlier line too", code="batch_duplicate_path"
            )
        seen.add(record.path)
        yield record


def decode_tree(parts: Iterable[bytes]) -> Iterator[TreeColumns]:
    """Check and read a tree that comes in parts; of each, the lines that end in it.

    That a path comes once is not checked: it would take all paths. Raises BundleError:
    `batch_malformed` or `batch_path_invalid`.
    """
    number = 1
    for block in _blocks(parts):
        columns = _usual_lines(block)
        yield columns or _any_lines(block.removesuffix(b"\n").split(b"\n"), number)
        number += block.count(b"\n")


def _blocks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, as many as each part ends."""
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
    """The lines if all are as `encoding` writes them without an escape: six times as fast."""
    try:
        rows = _USUAL_LINE.findall(block.decode())
    except UnicodeDecodeError:
        return None
    if len(rows) != block.count(b"\n"):
        return None
    path, mode, blob, size, skipped = zip(*rows, strict=True)
    if max(map(len, path)) > PATH_BYTES // 4 and not are_paths(path):
        return None
    return TreeColumns(path, mode, blob, list(map(int, size)), [word or None for word in skipped])


def _any_lines(lines: Sequence[bytes], first: int) -> TreeColumns:
    entries = []
    for number, line in enumerate(lines, start=first):
        if len(line) > TREE_LINE_BYTES:
            raise _long_line()
        where = f"line {number}"
        entries.append(_tree_entry(Fields(_json(line, where), keys=_TREE_KEYS, where=where)))
    return TreeColumns(
        *([getattr(entry, name) for entry in entries] for name in TreeColumns._fields)
    )


def _json(line: bytes, where: str) -> object:
    try:
        value: object = json.loads(line.decode())
    except (ValueError, RecursionError) as exc:  # not UTF-8, not JSON, a huge number, too deep
        raise BundleError(f"{where}: must be one JSON object in UTF-8") from exc
    return value


def _record(value: object, where: str, dimensions: int) -> FileRecord | Removal:
    if isinstance(value, dict) and "removed" in value:
        return _removal(value, where)
    return _file(value, where, dimensions)


def _removal(value: dict[str, object], where: str) -> Removal:
    fields = Fields(value, keys=_REMOVAL_KEYS, where=where)
    if not fields.boolean("removed"):
        fields.refuse("removed", "must be true")
    return Removal(fields.path())


def _tree_entry(fields: Fields) -> TreeEntry:
    mode = fields.text("mode", most=6)
    if mode not in MODES:
        fields.refuse("mode", "must be a file mode of git")
    blob = fields.text("blob", most=64)
    if not _BLOB.match(blob):
        fields.refuse("blob", "must be 40 or 64 lower-case hexadecimal digits")
    return TreeEntry(
        path=fields.path(),
        mode=mode,
        blob=blob,
        size=fields.integer("size"),
        skipped=fields.option_or_none("skipped", SkipReason),
    )


def _file(value: object, where: str, dimensions: int) -> FileRecord:
    fields = Fields(value, keys=_FILE_KEYS, where=where)
    entry = _tree_entry(fields)
    content = fields.text("content")
    last_line = count_lines(content)
    if last_line > FILE_LINES:
        fields.refuse("content", f"must have at most {FILE_LINES} lines")
    record = FileRecord(
        path=entry.path,
        mode=entry.mode,
        blob=entry.blob,
        size=entry.size,
        language=fields.text("language", most=LABEL_CHARACTERS),
        skipped=entry.skipped,
        degraded=fields.option_or_none("degraded", DegradeReason),
        content=content,
        chunks=_chunks(fields, last_line, dimensions),
        symbols=_symbols(fields, last_line),
        namespace=fields.text("namespace", most=NAME_CHARACTERS),
        imports=read_imports(fields, last_line=last_line),
        exports=read_exports(fields),
        references=read_references(fields, content=content, last_line=last_line),
        manifest=_manifest(fields),
    )
    if record.skipped:
        _require_bare(fields, record)
    return record


def _manifest(fields: Fields) -> Manifest | None:
    value = fields.value("manifest")
    return None if value is None else read_manifest(value, where=f"{fields.where}: manifest")


def _require_bare(fields: Fields, record: FileRecord) -> None:
    """A skipped file has nothing beside its entry and language; a lock file may say of pins."""
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
        fields.refuse("skipped", "leaves no room for content and what is read of it")


def _chunks(fields: Fields, last_line: int, dimensions: int) -> tuple[Chunk, ...]:
    chunks = [
        Fields(item, keys=_CHUNK_KEYS, where=f"{fields.where}: chunks[{index}]")
        for index, item in enumerate(fields.items("chunks"))
    ]
    if not chunks:
        return ()
    terms = read_terms(
        [chunk.octets("terms", unit=4) for chunk in chunks],
        [chunk.octets("weights", unit=4) for chunk in chunks],
        where=fields.where,
    )
    vectors = read_vectors(
        [chunk.octets_or_none("vector", unit=4) for chunk in chunks],
        dimensions=dimensions,
        where=fields.where,
    )
    return tuple(
        Chunk(
            span=span,
            type=chunk.option("type", ChunkType),
            name=chunk.text("name", most=NAME_CHARACTERS),
            container=chunk.text("container", most=NAME_CHARACTERS),
            terms=chunk_terms,
            vector=vector,
        )
        for chunk, span, chunk_terms, vector in zip(
            chunks, _ascending_spans(chunks, last_line), terms, vectors, strict=True
        )
    )


def _ascending_spans(chunks: list[Fields], last_line: int) -> Iterator[Span]:
    previous_end = 0
    for chunk in chunks:
        span = chunk.span(last_line=last_line)
        if span.start <= previous_end:
            chunk.refuse("start", "must lie after the chunk before it")
        previous_end = span.end
        yield span


def _symbols(fields: Fields, last_line: int) -> tuple[Symbol, ...]:
    symbols = (
        Fields(item, keys=_SYMBOL_KEYS, where=f"{fields.where}: symbols[{index}]")
        for index, item in enumerate(fields.items("symbols"))
    )
    return tuple(
        Symbol(
            name=symbol.text("name", most=NAME_CHARACTERS),
            qualified_name=symbol.text("qualified_name", most=NAME_CHARACTERS),
            kind=symbol.text("kind", most=LABEL_CHARACTERS),
            span=symbol.span(last_line=last_line),
            signature=symbol.text("signature", most=NAME_CHARACTERS),
            exported=symbol.boolean("exported"),
        )
        for symbol in symbols
    )
