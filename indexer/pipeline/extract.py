"""One file in, one record out: parse once; chunks, terms, symbols and relations come from that."""

from dataclasses import dataclass, field, replace

from indexer.languages import Language, detect
from indexer.lexical import document_terms
from indexer.manifests import read_manifest
from indexer.records.files import Chunk, DegradeReason, FileRecord, Symbol, line_span, split_lines
from indexer.resolution.file_relations import Relations, extract_relations
from indexer.syntax.chunking import ChunkDraft, chunk_definitions, chunk_text
from indexer.syntax.definitions import outline, symbols
from indexer.syntax.parser import parse

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def extract_file(
    *, path: str, mode: str, blob: str, content: bytes, degraded: DegradeReason | None = None
) -> FileRecord:
    """The record of a selected file, without vectors: a pure function of its arguments.

    `content` must be UTF-8 (selection sees to it); a byte order mark is dropped. A file that is
    too deep or too broken for its grammar is cut into windows and says so in `degraded`; with that
    given, no grammar is asked.
    """
    source = content.removeprefix(_BYTE_ORDER_MARK)
    language = detect(path, source)
    text = source.decode("utf-8")
    lines = split_lines(text)
    read = _windows(lines, degraded) if degraded else _read(path, language, source, lines)
    return FileRecord(
        path=path,
        mode=mode,
        blob=blob,
        size=len(content),
        language=language.name,
        degraded=read.degraded,
        content=text,
        chunks=tuple(_chunk(path, piece, lines) for piece in read.pieces),
        symbols=read.symbols,
        namespace=read.relations.namespace,
        imports=read.relations.imports,
        exports=read.relations.exports,
        references=read.relations.references,
        manifest=read_manifest(path, text),
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    pieces: list[ChunkDraft]
    degraded: DegradeReason | None = None
    symbols: tuple[Symbol, ...] = ()
    relations: Relations = field(default_factory=Relations)


def _windows(lines: list[str], degraded: DegradeReason | None = None) -> _Reading:
    return _Reading(chunk_text(lines), degraded)


def _read(path: str, language: Language, source: bytes, lines: list[str]) -> _Reading:
    if language.grammar is None:
        return _windows(lines)
    parsed = parse(language, source)
    if isinstance(parsed, DegradeReason):
        return _windows(lines, parsed)
    outlined = outline(parsed)
    if isinstance(outlined, DegradeReason):
        return _windows(lines, outlined)
    relations = extract_relations(path, parsed, outlined)
    return _Reading(
        pieces=chunk_definitions(parsed, outlined, lines),
        symbols=_offered(symbols(parsed, outlined), relations.declared_exports),
        relations=relations,
    )


def _offered(
    found: tuple[Symbol, ...], declared_exports: frozenset[str] | None
) -> tuple[Symbol, ...]:
    """The symbols, those no longer exported that a file's own list of names leaves out."""
    if declared_exports is None:
        return found
    return tuple(
        replace(symbol, exported=False)
        if symbol.qualified_name.partition(".")[0] not in declared_exports
        else symbol
        for symbol in found
    )


def _chunk(path: str, piece: ChunkDraft, lines: list[str]) -> Chunk:
    name = f"{piece.container}.{piece.name}" if piece.container else piece.name
    return Chunk(
        span=piece.span,
        type=piece.type,
        name=piece.name,
        container=piece.container,
        terms=document_terms(path=path, name=name, text=line_span(lines, piece.span)),
    )
