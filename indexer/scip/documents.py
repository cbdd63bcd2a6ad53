"""What a document of an index says that we store, and whether it is of the file that is indexed.

`read_document` needs no file: its digest tells whether a document has changed. `check_document`
compares each name with the text of the file.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from google.protobuf.message import DecodeError
from msgspec.json import Encoder

from indexer.errors import ScipDocumentError
from indexer.records.scip import (
    SCIP_DEFINITIONS,
    SCIP_OCCURRENCES,
    SCIP_RELATIONSHIPS,
    ScipDocument,
    ScipPlace,
)
from indexer.scip.names import NameCheck, Units, is_too_long, named_symbol, symbol_key
from indexer.scip.reading import IndexHead
from indexer.scip.scip_pb2 import Document, Occurrence, PositionEncoding, SymbolRole

SCIP_DOCUMENT_MESSAGES: Final = 1_000_000  # parsed they take up to 200 MB
_FORMAT: Final = 1  # of what is stored; another one makes all documents different
_DIGEST_BYTES: Final = 16
_TAGS: Final = (b"\x12", b"\x1a", b"\x22")  # of occurrences, symbols and relationships
_DEFINITION: Final = int(SymbolRole.Definition)
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


# Line, start and end from 0, a symbol without its version, and whether it is a definition.
_Occurrence: TypeAlias = tuple[int, int, int, str, bool]


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
    occurrences, too_long = _occurrences(document)
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
    )


def check_document(document: IndexedDocument, *, path: str, blob: str, text: str) -> ScipDocument:
    """Return what is stored of a document of the file `path`, with columns in characters.

    `text` is the content of `blob`. Raises ScipDocumentError if it is of another text.
    """
    check = NameCheck(text, units=document.units, tool=document.tool)
    definitions, references = set(), set()
    for line, start, end, key, is_definition in document.occurrences:
        symbol = named_symbol(key)
        if symbol is None:  # its grammar is not that of SCIP
            continue
        column = check.column(symbol, line, start, end, is_definition=is_definition)
        if column is None:
            continue
        if is_definition:
            definitions.add((line + 1, column, symbol.text))
        else:
            references.add((line + 1, column, symbol.used))
    check.finish()
    related = [pair for pair in map(_named_pair, document.relationships) if pair]
    names = {symbol for _, _, symbol in definitions | references}
    names.update(*related)
    numbers = {symbol: number for number, symbol in enumerate(sorted(names))}
    return ScipDocument(
        path=path,
        blob=blob,
        tool=f"{document.tool} {document.version}".strip(),
        digest=document.digest,
        symbols=tuple(numbers),
        definitions=_places(definitions, numbers),
        references=_places(references, numbers),
        relationships=tuple(sorted({(numbers[first], numbers[other]) for first, other in related})),
        cut=document.cut,
    )


def _places(
    found: Iterable[tuple[int, int, str]], numbers: dict[str, int]
) -> tuple[ScipPlace, ...]:
    return tuple(sorted(ScipPlace(line, column, numbers[name]) for line, column, name in found))


def _named_pair(pair: tuple[str, str]) -> tuple[str, str] | None:
    first, other = map(named_symbol, pair)
    return (first.text, other.text) if first and other else None


def _occurrences(document: Document) -> tuple[list[_Occurrence], int]:
    """Return what names something, in order and each once, and the number of those too long.

    This is done for all documents of each index, changed or not.
    """
    found: set[_Occurrence] = set()
    keys: dict[str, str] = {}
    too_long = 0
    for occurrence in document.occurrences:
        text = occurrence.symbol
        key = keys.get(text)
        if key is None:
            key = keys[text] = symbol_key(text)
        if not key:
            too_long += is_too_long(text)
            continue
        place = _place(*(occurrence.range or _typed_range(occurrence)))
        if place is not None:
            found.add((*place, key, bool(occurrence.symbol_roles & _DEFINITION)))
    return sorted(found), too_long


def _typed_range(occurrence: Occurrence) -> tuple[int, ...]:
    """Return the numbers of a typed range, which stands instead of `range`."""
    match occurrence.WhichOneof("typed_range"):
        case "single_line_range":
            single_line = occurrence.single_line_range
            return single_line.line, single_line.start_character, single_line.end_character
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
    for occurrence in occurrences:
        if left[occurrence[-1]]:
            left[occurrence[-1]] -= 1
            kept.append(occurrence)
    return kept, len(occurrences) - len(kept)


def _relationships(document: Document) -> list[tuple[str, str]]:
    found = set()
    for information in document.symbols:
        for relationship in information.relationships:
            if relationship.is_implementation:
                pair = symbol_key(information.symbol), symbol_key(relationship.symbol)
                if all(pair):
                    found.add(pair)
    return sorted(found)


def _default_units(head: IndexHead) -> Units:
    if units := _UNITS_OF_TOOLS.get(head.tool):
        return units
    return Units.UTF16 if head.is_utf16 else Units.UTF8
