"""One file in, one record out: parse once, and take chunks, terms and symbols from that tree."""

from indexer.chunking import Piece, chunk_definitions, chunk_text
from indexer.languages import Language, detect
from indexer.lexical import document_terms
from indexer.parsing import parse
from indexer.records import (
    Chunk,
    DegradeReason,
    FileRecord,
    Symbol,
    line_span,
    split_lines,
)
from indexer.symbols import outline, symbols

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
    pieces, found, degraded = (
        (chunk_text(lines), (), degraded) if degraded else _read(language, source, lines)
    )
    return FileRecord(
        path=path,
        mode=mode,
        blob=blob,
        size=len(content),
        language=language.name,
        degraded=degraded,
        content=text,
        chunks=tuple(_chunk(path, piece, lines) for piece in pieces),
        symbols=found,
    )


def _read(
    language: Language, source: bytes, lines: list[str]
) -> tuple[list[Piece], tuple[Symbol, ...], DegradeReason | None]:
    if language.grammar is None:
        return chunk_text(lines), (), None
    parsed = parse(language, source)
    if isinstance(parsed, DegradeReason):
        return chunk_text(lines), (), parsed
    outlined = outline(parsed)
    if isinstance(outlined, DegradeReason):
        return chunk_text(lines), (), outlined
    return chunk_definitions(parsed, outlined, lines), symbols(parsed, outlined), None


def _chunk(path: str, piece: Piece, lines: list[str]) -> Chunk:
    name = f"{piece.container}.{piece.name}" if piece.container else piece.name
    return Chunk(
        span=piece.span,
        type=piece.type,
        name=piece.name,
        container=piece.container,
        terms=document_terms(path=path, name=name, text=line_span(lines, piece.span)),
    )
