"""Documents of SCIP: the definitions of a file, and its references to definitions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from central.trace.resolve.questions import Key
from central.trace.resolve.references import ReferenceSite
from central.trace.scip.rows import FilesWithSymbols, SymbolRow
from indexer.scip.scip_pb2 import (
    Definition,
    Document,
    Occurrence,
    Relationship,
    SymbolInformation,
    UTF32CodeUnitOffsetFromLineStart,
)

# Numbers of SymbolInformation.Kind.
_KINDS: Final = {
    "class": 7,
    "constant": 8,
    "enum": 11,
    "function": 17,
    "interface": 21,
    "macro": 25,
    "method": 26,
    "module": 29,
    "property": 41,
    "struct": 49,
    "trait": 53,
    "type": 54,
}
# Names of Language, where they are not ours with a capital.
_LANGUAGES: Final = {
    "bash": "ShellScript",
    "cpp": "CPP",
    "csharp": "CSharp",
    "css": "CSS",
    "fsharp": "FSharp",
    "html": "HTML",
    "javascript": "JavaScript",
    "json": "JSON",
    "jupyter": "Python",
    "objective-c": "ObjectiveC",
    "ocaml": "OCaml",
    "php": "PHP",
    "powershell": "PowerShell",
    "scss": "SCSS",
    "sql": "SQL",
    "text": "",
    "toml": "TOML",
    "tsx": "TypeScriptReact",
    "typescript": "TypeScript",
    "xml": "XML",
    "yaml": "YAML",
}
_NAME_LINES: Final = 50  # of a definition, among which its name stands
_Range = tuple[int, int, int]


class Meaning(NamedTuple):
    """A reference and a definition that it means."""

    site: ReferenceSite
    target: Key


def document_of(
    file: int,
    files: FilesWithSymbols,
    meanings: Iterable[Meaning],
    bases: Mapping[Key, Sequence[Key]],
) -> Document:
    """Return the document of a file that was read with its content."""
    read = files.file(file)
    local = _Locals()
    occurrences: dict[tuple[_Range, str, bool], Occurrence] = {}
    symbols: dict[str, SymbolInformation] = {}
    for definition in read.definitions:
        symbol = definition.symbol or local.named(definition)
        at = _range_of_name(read.lines, definition)
        occurrences.setdefault((at, symbol, True), _definition(read.lines, definition, symbol, at))
        if symbol not in symbols:
            key = (file, definition.qualified_name)
            symbols[symbol] = information(definition, symbol, _symbols(files, bases.get(key, ())))
    for meaning in meanings:
        target = files.definition(meaning.target)
        at_site = _range_of_site(read.lines, meaning.site)
        if target is None or at_site is None:
            continue
        own = local.named(target) if meaning.target[0] == file else ""
        if symbol := target.symbol or own:
            one_use = Occurrence(range=at_site, symbol=symbol)
            occurrences.setdefault((at_site, symbol, False), one_use)
    return Document(
        relative_path=read.about.path,
        language=_LANGUAGES.get(read.about.language, read.about.language.capitalize()),
        position_encoding=UTF32CodeUnitOffsetFromLineStart,
        occurrences=[occurrences[occurrence] for occurrence in sorted(occurrences)],
        symbols=symbols.values(),
    )


def information(
    symbol_row: SymbolRow, symbol: str, implemented: Iterable[str] = ()
) -> SymbolInformation:
    """Return what is known of a definition, with the symbols of what it implements."""
    return SymbolInformation(
        symbol=symbol,
        kind=_KINDS.get(symbol_row.kind, 0),
        display_name=symbol_row.name,
        documentation=[symbol_row.signature] if symbol_row.signature else [],
        relationships=[Relationship(symbol=base, is_implementation=True) for base in implemented],
    )


def _symbols(files: FilesWithSymbols, keys: Iterable[Key]) -> list[str]:
    found = [files.definition(key) for key in keys]
    return list(dict.fromkeys(symbol.symbol for symbol in found if symbol and symbol.symbol))


class _Locals:
    """Local symbols of a document, one for each qualified name."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def named(self, symbol: SymbolRow) -> str:
        number = self._numbers.setdefault(symbol.qualified_name, len(self._numbers))
        return f"local {number}"


def _definition(lines: Sequence[str], symbol_row: SymbolRow, symbol: str, at: _Range) -> Occurrence:
    end = min(symbol_row.end_line, len(lines))
    width = len(lines[end - 1].rstrip("\r\n")) if end else 0
    start = symbol_row.start_line - 1
    enclosing = (start, 0, width) if end - 1 == start else (start, 0, max(end - 1, start), width)
    return Occurrence(range=at, symbol=symbol, symbol_roles=Definition, enclosing_range=enclosing)


def _range_of_name(lines: Sequence[str], symbol: SymbolRow) -> _Range:
    """Where the name of a definition stands: behind what is before it in the signature, if it does.

    The beginning of the first line if the text does not have it.
    """
    name = _whole(symbol.name)
    before = re.split(name, symbol.signature, maxsplit=1)[0].split()
    patterns = [rf"{re.escape(before[-1])}\s*{name}"] if before and before[-1] else []
    first = symbol.start_line - 1
    last = min(symbol.end_line, len(lines), first + _NAME_LINES)
    for pattern in (*patterns, name):
        for number in range(first, last):
            if found := re.search(pattern, lines[number]):
                return number, found.end() - len(symbol.name), found.end()
    return first, 0, 0


def _whole(name: str) -> str:
    """Match the name where no longer one stands."""
    begin = r"(?<![\w$])" if re.match(r"[\w$]", name) else ""
    end = r"(?![\w$])" if re.search(r"[\w$]\Z", name) else ""
    return f"{begin}{re.escape(name)}{end}"


def _range_of_site(lines: Sequence[str], site: ReferenceSite) -> _Range | None:
    """Where a reference's name stands; None if the text has another one there."""
    line = lines[site.line - 1] if site.line <= len(lines) else ""
    end = site.column + len(site.name)
    if not site.name or line[site.column : end] != site.name:
        return None
    return site.line - 1, site.column, end
