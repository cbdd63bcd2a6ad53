"""Files that hold code of other languages: each of these is parsed with the rest masked.

What is read of it has the lines and columns of the file.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, islice
from typing import Final

from indexer.languages import LANGUAGES_BY_NAME, Language
from indexer.languages.base import FILE_REGIONS, HostFormat, Region, mask
from indexer.records.files import DegradeReason, Span, Symbol, Unparsed, UnparsedLines
from indexer.records.manifests import Ecosystem
from indexer.records.references import Binding, Reference, ReferenceKind
from indexer.resolution.file_relations import (
    FILE_REFERENCES,
    Relations,
    extract_relations,
    unparsed_relations,
)
from indexer.resolution.unparsed import merge_unparsed
from indexer.syntax.chunking import (
    STRUCTURAL_KINDS,
    ChunkDraft,
    SourceLines,
    chunk_code,
    chunk_lines,
    chunk_text,
)
from indexer.syntax.definitions import OutlineEntry, outline, symbols
from indexer.syntax.parser import ParsedFile, parse
from indexer.syntax.source_text import SourceText

# An unbound name of these is one of the language, unless its import is left out.
_IMPORT_ALL: Final = frozenset({Ecosystem.NPM, Ecosystem.PYPI})


class HostPositions:
    """Translates positions in `masked` to those in `source`, which has the same length.

    Lines differ if the masked text has further line feeds, columns if a text is not ASCII.
    """

    def __init__(self, source: bytes, masked: bytes) -> None:
        self._source = source
        self.masked = masked
        self.has_same_lines = source.count(b"\n") == masked.count(b"\n")
        self.are_same = self.has_same_lines and source.isascii() and masked.isascii()

    @cached_property
    def _host(self) -> SourceText:
        return SourceText(self._source)

    @cached_property
    def _starts(self) -> list[int]:
        return SourceText(self.masked).line_starts

    def line(self, line: int) -> int:
        """Return the file's line of a line of the masked code."""
        return line if self.has_same_lines else self._host.line(self._starts[line - 1])

    def position(self, line: int, column: int) -> tuple[int, int]:
        """Return the file's line and column, in characters, of those in the masked code."""
        if self.are_same:
            return line, column
        start = self._starts[line - 1]
        before = self.masked[start : start + 4 * column].decode("utf-8", "replace")[:column]
        return self._host.position(start + len(before.encode()))


@dataclass(frozen=True, slots=True)
class Reading:
    """Symbols and relations of a file, and how it is cut. `degraded`: why no grammar was used."""

    drafts: Callable[[], list[ChunkDraft]]
    degraded: DegradeReason | None = None
    symbols: tuple[Symbol, ...] = ()
    relations: Relations = field(default_factory=Relations)


@dataclass(frozen=True, slots=True)
class _DegradedCode:
    """All code of one language in a file, which could not be parsed."""

    reason: DegradeReason
    relations: Relations


@dataclass(frozen=True, slots=True)
class _Code:
    """All code of one language in a file, parsed as one text."""

    parsed: ParsedFile
    outlined: list[OutlineEntry]
    positions: HostPositions
    relations: Relations


def read_embedded(
    path: str,
    host: HostFormat,
    source: bytes,
    lines: Sequence[str],
    degraded: DegradeReason | None = None,
) -> Reading:
    """Read the code of a file, without any grammar if `degraded` is provided.

    `degraded` of the result is why the code of one language at least was not parsed.
    """
    regions = list(islice(host.regions(source), FILE_REGIONS))
    read = [code for _, code in _read_all(path, source, regions, degraded)]
    codes = [code for code in read if isinstance(code, _Code)]
    failed = (code.reason for code in read if isinstance(code, _DegradedCode))
    return Reading(
        drafts=partial(_chunk, host, source, regions, codes, lines),
        degraded=next(failed, degraded),
        symbols=tuple(
            sorted(chain.from_iterable(map(_symbols, codes)), key=lambda symbol: symbol.span)
        ),
        relations=_merged([code.relations for code in read]),
    )


def read_examples(path: str, host: HostFormat, source: bytes, lines: Sequence[str]) -> Reading:
    """Read a text with code in it: it is cut as text, and what the code uses is a reference.

    What the code defines is no definition, and its own uses of that are no references.
    """
    regions = list(islice(host.regions(source), FILE_REGIONS))
    found: list[Relations] = []
    left = FILE_REFERENCES
    for region_code in _read_all(path, source, regions):
        found.append(_uses(*region_code))
        left -= len(found[-1].references)
        if left <= 0:
            break  # what follows would be cut
    return Reading(partial(chunk_text, lines), relations=_merged(found))


def _uses(language: Language, code: _Code | _DegradedCode) -> Relations:
    """Return what the code uses of others, at the top level of the document."""
    imports_all = language.ecosystem in _IMPORT_ALL
    used = (
        reference._replace(caller="")
        for reference in code.relations.references
        if reference.binding is not Binding.LOCAL and reference.kind is not ReferenceKind.TYPE
    )
    return Relations(
        imports=code.relations.imports,
        references=tuple(map(_without_import, used) if imports_all else used),
    )


def _without_import(reference: Reference) -> Reference:
    """Return a use of an unbound name as one of unknown binding: its import is left out."""
    if reference.binding is not Binding.FREE:
        return reference
    return reference._replace(binding=Binding.UNKNOWN, root="", chain="")


def _read_all(
    path: str, source: bytes, regions: Iterable[Region], degraded: DegradeReason | None = None
) -> Iterator[tuple[Language, _Code | _DegradedCode]]:
    """Yield the code of each language that has a grammar."""
    for name in dict.fromkeys(region.language for region in regions):
        language = LANGUAGES_BY_NAME[name]
        if language.grammar is not None:
            yield language, _read(path, language, _masked(source, regions, name), degraded)


def _masked(source: bytes, regions: Iterable[Region], language: str) -> HostPositions:
    """Return the code of a language, up to its end: parsers read spaces no faster than code."""
    chosen = [region for region in regions if region.language == language]
    source = source[: chosen[-1].end]
    return HostPositions(source, mask(source, chosen))


def _read(
    path: str, language: Language, positions: HostPositions, degraded: DegradeReason | None
) -> _Code | _DegradedCode:
    parsed = degraded or parse(language, positions.masked)
    if isinstance(parsed, DegradeReason):
        return _degraded(parsed, language, positions)
    outlined = outline(parsed)
    if isinstance(outlined, DegradeReason):
        return _degraded(outlined, language, positions)
    relations = extract_relations(path, parsed, outlined)
    return _Code(parsed, outlined, positions, _placed(relations, positions))


def _degraded(reason: DegradeReason, language: Language, positions: HostPositions) -> _DegradedCode:
    relations = unparsed_relations(language, positions.masked)
    return _DegradedCode(reason, _placed(relations, positions))


def _placed(relations: Relations, positions: HostPositions) -> Relations:
    """Return the relations with the file's lines and columns."""
    if positions.are_same:
        return relations
    references = []
    for reference in relations.references:
        line, column = positions.position(reference.line, reference.column)
        references.append(reference._replace(line=line, column=column))
    return replace(
        relations,
        imports=tuple(
            import_._replace(line=positions.line(import_.line)) for import_ in relations.imports
        ),
        references=tuple(references),
        unparsed=relations.unparsed and _placed_lines(relations.unparsed, positions),
    )


def _placed_lines(unparsed: Unparsed, positions: HostPositions) -> Unparsed:
    line = positions.line
    lines = (
        UnparsedLines(line(unparsed_lines.start), line(unparsed_lines.end), unparsed_lines.calls)
        for unparsed_lines in unparsed.lines
    )
    return replace(unparsed, lines=tuple(lines))


def _symbols(code: _Code) -> Iterator[Symbol]:
    line = code.positions.line
    for symbol in symbols(code.parsed, code.outlined):
        yield replace(symbol, span=Span(line(symbol.span.start), line(symbol.span.end)))


def _merged(found: list[Relations]) -> Relations:
    if not found:
        return Relations()
    references = chain.from_iterable(relations.references for relations in found)
    return replace(
        found[0],
        namespace=next((relations.namespace for relations in found if relations.namespace), ""),
        imports=tuple(chain.from_iterable(relations.imports for relations in found)),
        exports=tuple(chain.from_iterable(relations.exports for relations in found)),
        references=tuple(islice(references, FILE_REFERENCES)),
        unparsed=merge_unparsed([relations.unparsed for relations in found if relations.unparsed]),
    )


def _chunk(
    host: HostFormat,
    source: bytes,
    regions: Iterable[Region],
    codes: Iterable[_Code],
    lines: Sequence[str],
) -> list[ChunkDraft]:
    """Cut regions with definitions by these, and other lines, if they are text, into windows."""
    by_language = {
        region_code.parsed.language.name: region_code
        for region_code in codes
        if region_code.positions.has_same_lines
    }
    text = SourceLines(lines)
    drafts: list[ChunkDraft] = []
    free = 1
    for span, language in _spans(source, regions, len(lines)):
        code = by_language.get(language)
        inside = _within(code.outlined, span) if code else []
        if span.start < free or not (inside or host.only_regions):
            continue
        if not host.only_regions:
            drafts += chunk_lines(text, Span(free, span.start - 1))
        if code and inside:
            drafts += _with_tags(chunk_code(code.parsed, inside, text, span), span)
        else:
            drafts += chunk_lines(text, span)
        free = span.end + 1
    if not host.only_regions:
        drafts += chunk_lines(text, Span(free, len(lines)))
    return drafts


def _with_tags(drafts: list[ChunkDraft], span: Span) -> list[ChunkDraft]:
    """Join the first and the last line, which have the tags, to the chunks beside them."""
    if len(drafts) > 1 and drafts[0].span == (span.start, span.start):
        drafts[:2] = [replace(drafts[1], span=Span(span.start, drafts[1].span.end))]
    if len(drafts) > 1 and drafts[-1].span == (span.end, span.end):
        drafts[-2:] = [replace(drafts[-2], span=Span(drafts[-2].span.start, span.end))]
    return drafts


def _spans(source: bytes, regions: Iterable[Region], lines: int) -> Iterator[tuple[Span, str]]:
    """Yield the lines of each region, with its language.

    Of `lines`: a region that nothing closes ends behind the last line's end.
    """
    line, at = 1, 0
    for region in regions:
        line += source.count(b"\n", at, region.start)
        first = line
        line += source.count(b"\n", region.start, region.end)
        at = region.end
        yield Span(first, min(line, lines)), region.language


def _within(outlined: list[OutlineEntry], span: Span) -> list[OutlineEntry]:
    """Return the definitions that lie in the lines of `span`; [] if none is a chunk of its own."""
    first = bisect_left(outlined, span.start, key=lambda outlined: outlined.definition.start_line)
    last = bisect_right(outlined, span.end, key=lambda outlined: outlined.definition.start_line)
    inside = [
        outline_entry
        for outline_entry in outlined[first:last]
        if outline_entry.definition.end_line <= span.end
    ]
    return inside if any(outline_entry.kind in STRUCTURAL_KINDS for outline_entry in inside) else []
