"""What a document of an index says that we store, and whether it is of the file that is indexed.

`read_document` needs no file: its digest tells whether a document has changed. `check_document`
compares each name with the text of the file.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from google.protobuf.message import DecodeError
from msgspec.json import Encoder

from indexer.errors import ScipDocumentError
from indexer.limits import (
    SCIP_DEFINITIONS,
    SCIP_DOCUMENT_MESSAGES,
    SCIP_OCCURRENCES,
    SCIP_RELATIONSHIPS,
    SCIP_SYMBOL_CHARACTERS,
)
from indexer.records.scip import ScipDocument, ScipPlace
from indexer.scip.names import NameCheck, Units
from indexer.scip.reading import IndexHead
from indexer.scip.scip_pb2 import Document, Occurrence, PositionEncoding, SymbolRole
from indexer.scip.symbols import NamedSymbol, named_symbol

_FORMAT: Final = 1  # of what is stored; another one makes all documents different
_DIGEST_BYTES: Final = 16
_TAGS: Final = (b"\x12", b"\x1a", b"\x22")  # of occurrences, symbols and relationships
_ENCODER: Final = Encoder()
_UNITS: Final = {
    PositionEncoding.UTF8CodeUnitOffsetFromLineStart: Units.UTF8,
    PositionEncoding.UTF16CodeUnitOffsetFromLineStart: Units.UTF16,
    PositionEncoding.UTF32CodeUnitOffsetFromLineStart: Units.UTF32,
}
# Of indexers that do not name their units: the first two run in Node.js, whose strings are UTF-16.
_UNITS_OF_TOOLS: Final = {
    "scip-typescript": Units.UTF16,
    "scip-python": Units.UTF16,
    "scip-java": Units.UTF16,
    "scip-kotlin": Units.UTF16,
    "scip-dotnet": Units.UTF16,
    "scip-go": Units.UTF8,
    "scip-clang": Units.UTF8,
    "scip-ruby": Units.UTF8,
    "rust-analyzer": Units.UTF8,
}


class _Occurrence(NamedTuple):
    line: int
    start: int
    end: int
    symbol: str  # NamedSymbol.text
    is_definition: bool


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as the index has it: lines and columns from 0, columns in `units`."""

    path: str
    tool: str
    version: str
    units: Units
    digest: str
    occurrences: tuple[_Occurrence, ...]
    relationships: tuple[tuple[str, str], ...]
    cut: int
    symbols: dict[str, NamedSymbol] = field(repr=False)


def read_document(data: bytes, head: IndexHead) -> IndexedDocument:
    """Read what is stored of a document.

    Raises ScipDocumentError if it is malformed or over a limit.
    """
    if sum(map(data.count, _TAGS)) > SCIP_DOCUMENT_MESSAGES:
        raise ScipDocumentError("it has too many occurrences")
    try:
        document = Document.FromString(data)
    except DecodeError as exc:
        raise ScipDocumentError("it is malformed") from exc
    symbols: dict[str, NamedSymbol] = {}
    occurrences, too_long = _occurrences(document, symbols)
    kept, cut = _bounded(occurrences)
    related = _relationships(document)
    units = _UNITS.get(document.position_encoding) or _default_units(head)
    relationships = tuple(related[:SCIP_RELATIONSHIPS])
    cut += too_long + len(related) - len(relationships)
    said = (_FORMAT, head.tool, units, kept, relationships, cut)
    return IndexedDocument(
        path=document.relative_path,
        tool=head.tool,
        version=head.version,
        units=units,
        digest=hashlib.blake2b(_ENCODER.encode(said), digest_size=_DIGEST_BYTES).hexdigest(),
        occurrences=tuple(kept),
        relationships=relationships,
        cut=cut,
        symbols=symbols,
    )


def check_document(document: IndexedDocument, *, path: str, blob: str, text: str) -> ScipDocument:
    """Return what is stored of a document of the file `path`, with columns in characters.

    `text` is the content of `blob`. Raises ScipDocumentError if it is of another text.
    """
    check = NameCheck(text, units=document.units, tool=document.tool)
    definitions, references = set(), set()
    for line, start, end, key, is_definition in document.occurrences:
        symbol = document.symbols[key]
        column = check.column(symbol, line, start, end, is_definition=is_definition)
        if column is None:
            continue
        if is_definition:
            definitions.add((line + 1, column, symbol.text))
        else:
            references.add((line + 1, column, symbol.used))
    check.finish()
    names = {symbol for _, _, symbol in definitions | references}
    names.update(*document.relationships)
    numbers = {symbol: number for number, symbol in enumerate(sorted(names))}
    return ScipDocument(
        path=path,
        blob=blob,
        tool=f"{document.tool} {document.version}".strip(),
        digest=document.digest,
        symbols=tuple(numbers),
        definitions=_places(definitions, numbers),
        references=_places(references, numbers),
        relationships=tuple(
            sorted((numbers[one], numbers[other]) for one, other in document.relationships)
        ),
        cut=document.cut,
    )


def _places(
    found: Iterable[tuple[int, int, str]], numbers: dict[str, int]
) -> tuple[ScipPlace, ...]:
    return tuple(sorted(ScipPlace(line, column, numbers[name]) for line, column, name in found))


def _occurrences(
    document: Document, symbols: dict[str, NamedSymbol]
) -> tuple[list[_Occurrence], int]:
    """Return what names something, in order and each once, and the number of those too long."""
    found: set[_Occurrence] = set()
    too_long = 0
    for one in document.occurrences:
        name = one.symbol
        if len(name) > SCIP_SYMBOL_CHARACTERS:
            too_long += 1
            continue
        if (symbol := named_symbol(name)) is None:
            continue
        place = _place(*(one.range or _typed_range(one)))
        if place is not None:
            symbols[symbol.text] = symbol
            is_definition = bool(one.symbol_roles & SymbolRole.Definition)
            found.add(_Occurrence(*place, symbol.text, is_definition))
    return sorted(found), too_long


def _typed_range(occurrence: Occurrence) -> tuple[int, ...]:
    """Return the numbers of a typed range, which stands instead of `range`."""
    match occurrence.WhichOneof("typed_range"):
        case "single_line_range":
            one = occurrence.single_line_range
            return one.line, one.start_character, one.end_character
        case "multi_line_range":
            more = occurrence.multi_line_range
            return more.start_line, more.start_character, more.end_line, more.end_character
    return ()


def _place(*numbers: int) -> tuple[int, int, int] | None:
    """Return line, start and end; None if there is no text, or an expression of several lines."""
    if len(numbers) not in {3, 4}:
        raise ScipDocumentError("it has a range that is none")
    line, start, *last, end = numbers
    if min(numbers) < 0 or (last or [line])[0] < line:
        raise ScipDocumentError("it has a range that is none")
    if last and last[0] > line:
        return None
    if end < start:
        raise ScipDocumentError("it has a range that is none")
    return (line, start, end) if start < end else None


def _bounded(occurrences: list[_Occurrence]) -> tuple[list[_Occurrence], int]:
    """Return as many as are kept, and the number of the others."""
    kept, left = [], {True: SCIP_DEFINITIONS, False: SCIP_OCCURRENCES}
    if len(occurrences) <= min(left.values()):
        return occurrences, 0
    for one in occurrences:
        if left[one.is_definition]:
            left[one.is_definition] -= 1
            kept.append(one)
    return kept, len(occurrences) - len(kept)


def _relationships(document: Document) -> list[tuple[str, str]]:
    found = set()
    for information in document.symbols:
        for relationship in information.relationships:
            if relationship.is_implementation:
                pair = map(named_symbol, (information.symbol, relationship.symbol))
                texts = [symbol.text for symbol in pair if symbol]
                if len(texts) == 2:
                    found.add((texts[0], texts[1]))
    return sorted(found)


def _default_units(head: IndexHead) -> Units:
    if units := _UNITS_OF_TOOLS.get(head.tool):
        return units
    return Units.UTF16 if head.is_utf16 else Units.UTF8
