"""Documents of SCIP: the definitions of a file, and its references to definitions.

With what they are made of: files in portions, definitions with symbols, and bases of classes.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from central.corpus.models import File, Package, Reference, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.repositories.visibility import RepositorySnapshot
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Bases, Key, enclosing_names, last_name
from central.trace.resolve.references import ReferenceSite
from central.trace.scip.symbols import Defined, DefiningFile, symbols_of
from central.trace.stored.hierarchy import classes_in
from central.trace.stored.models import Inheritance, Source
from indexer.records.files import split_lines
from indexer.records.scip import format_symbol
from indexer.scip.scip_pb2 import (
    Definition,
    Document,
    Occurrence,
    Relationship,
    SymbolInformation,
    UTF32CodeUnitOffsetFromLineStart,
)

SCIP_EXPORT_FILES: Final = 200  # of a portion of an export as SCIP
SCIP_EXPORT_REFERENCES: Final = 3_000  # of these
SCIP_EXPORT_BYTES: Final = 2 * 1024 * 1024  # of their content, or one file
_sql = sql_with(
    file=File,
    package=Package,
    reference=Reference,
    symbol=Symbol,
    inheritance=Inheritance,
    source=Source,
)
_NEXT: Final = _sql("""SELECT f.id, f.path, f.size,
        (SELECT count(*) FROM {reference} r WHERE r.file_id = f.id)
    FROM (SELECT f.id, f.path, f.size FROM {file} f
        WHERE f.repository_id = %s::bigint AND f.repository_id = ANY(%s::bigint[])
            AND f.skipped = '' AND f.path > %s::text
        ORDER BY f.path LIMIT %s) AS f
    ORDER BY f.path""")
_FILES: Final = _sql("""SELECT f.id, f.repository_id, f.path, f.language, f.namespace,
        coalesce(p.name, ''), coalesce(p.version, ''), coalesce(p.root, ''),
        coalesce(p.ecosystem, ''), CASE WHEN f.id = ANY(%s::bigint[]) THEN f.content ELSE '' END
    FROM {file} f LEFT JOIN {package} p ON p.id = f.package_id
    WHERE f.id = ANY(%s::bigint[]) AND f.repository_id = ANY(%s::bigint[])""")
_SYMBOLS: Final = _sql("""SELECT s.file_id, s.name, s.qualified_name, s.kind, s.signature,
        s.start_line, s.end_line
    FROM {symbol} s WHERE s.file_id = ANY(%s::bigint[]) AND s.repository_id = ANY(%s::bigint[])
        AND (%s::text[] IS NULL OR s.name = ANY(%s::text[]) OR s.qualified_name = ANY(%s::text[]))
    ORDER BY s.file_id, s.start_line, s.id""")
_BASES: Final = _sql("""SELECT s.file_id, b.name, t.file_id, b.base_name
    FROM {source} s JOIN {inheritance} b ON b.source = s.path_id
    JOIN {source} t ON t.path_id = b.base AND t.repository_id = ANY(%s::bigint[])
    WHERE s.file_id = ANY(%s::bigint[]) AND s.repository_id = ANY(%s::bigint[])
    ORDER BY s.file_id, b.name, t.file_id, b.base_name""")
# The ecosystem of the packages that the symbols of a language name.
_ECOSYSTEMS: Final = {
    **dict.fromkeys(("typescript", "tsx", "javascript"), "npm"),
    "python": "pypi",
    "go": "go",
    "java": "maven",
}


class SymbolRow(NamedTuple):
    """A definition with its symbol, or None if that is local to its file."""

    name: str
    qualified_name: str
    kind: str
    signature: str
    start_line: int
    end_line: int
    symbol: str | None


class DefiningFileRows(NamedTuple):
    """A file with its definitions; `lines` only if its content was asked for."""

    about: DefiningFile
    repository: int
    lines: list[str]
    definitions: list[SymbolRow]


def next_files(resolver: BatchResolver, repository: int, path: str) -> tuple[list[int], str]:
    """Return files of a repository after a path, as many as make a portion; and the last path.

    Without any, there is none after it. Skipped ones are left out.
    """
    rows = fetch_rows(_NEXT, [repository, resolver.repositories, path, SCIP_EXPORT_FILES])
    taken: list[int] = []
    last = path
    size = references = 0
    for file, path_of_file, bytes_of_file, references_of_file in rows:
        size += bytes_of_file
        references += references_of_file
        if taken and (size > SCIP_EXPORT_BYTES or references > SCIP_EXPORT_REFERENCES):
            break
        taken.append(file)
        last = path_of_file
    return taken, last


class FilesWithSymbols:
    """Files with their definitions; `visible` are the repositories by id."""

    def __init__(self, resolver: BatchResolver, visible: Mapping[int, RepositorySnapshot]) -> None:
        self._resolver = resolver
        self._visible = visible
        self._files: dict[int, DefiningFileRows] = {}
        self._first: dict[Key, SymbolRow] = {}

    def read(self, files: Collection[int]) -> None:
        """Read whole files with their content. All are visible."""
        self._read(id_array(files), id_array(files), None)

    def read_targets(self, keys: Iterable[Key]) -> None:
        """Read definitions of other files, those of them that are visible.

        With what their symbols depend on: those around them, and others of their names.
        """
        missing = {(file, name) for file, name in keys if file not in self._files}
        whole = {name for _, name in missing}
        named = sorted({last_name(name) for name in whole})
        around = sorted({beginning for name in whole for beginning in enclosing_names(name)})
        if missing:
            self._read(id_array({file for file, _ in missing}), id_array(()), (named, around))

    def _read(self, ids: str, with_content: str, only: tuple[list[str], list[str]] | None) -> None:
        seen = self._resolver.repositories
        named, around = only or (None, None)
        definitions: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for file, *row in fetch_rows(_SYMBOLS, [ids, seen, named, named, around]):
            definitions[file].append(tuple(row))
        for file, repository, path, language, namespace, *package, content in fetch_rows(
            _FILES, [with_content, ids, seen]
        ):
            owner = self._visible[repository]
            *named_package, ecosystem = package
            if ecosystem != _ECOSYSTEMS.get(language, ecosystem):
                named_package = ["", "", ""]
            about = DefiningFile(
                owner.name, owner.commit, path, language, namespace, *named_package
            )
            lines = split_lines(content)
            symbols = _with_symbols(about, lines, definitions[file])
            self._files[file] = DefiningFileRows(about, repository, lines, symbols)
            for symbol in symbols:
                self._first.setdefault((file, symbol.qualified_name), symbol)

    def file(self, file: int) -> DefiningFileRows:
        """Return a file that was read."""
        return self._files[file]

    def definition(self, key: Key) -> SymbolRow | None:
        """Return the first definition of a name in a file that was read."""
        return self._first.get(key)


def _with_symbols(
    about: DefiningFile, lines: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> list[SymbolRow]:
    """Return a file's definitions with their symbols; an indented one is inside of something."""
    indented = {number for number, line in enumerate(lines, 1) if line[:1] in {" ", "\t"}}
    named = [Defined._make((*row[:4], row[4] in indented)) for row in rows]
    symbols = zip(rows, symbols_of(about, named), strict=True)
    return [
        SymbolRow._make((*row, format_symbol(symbol) if symbol else None))
        for row, symbol in symbols
    ]


def direct_bases(resolver: BatchResolver, files: Collection[int]) -> Mapping[Key, list[Key]]:
    """Return the direct bases of the files' classes: as they are stored, or else resolved."""
    live = resolver.live_files
    unstored = files if live is None else [file for file in files if file in live]
    stored = id_array(set(files).difference(unstored))
    bases: dict[Key, list[Key]] = defaultdict(list)
    seen = resolver.repositories
    for file, name, base, base_name in fetch_rows(_BASES, [seen, stored, seen]):
        bases[file, name].append((base, base_name))
    classes = [class_ for several in classes_in(unstored).values() for class_ in several]
    for class_, answer in zip(
        classes, resolver.resolve_all([Bases(*class_) for class_ in classes]), strict=True
    ):
        bases[class_] += [base.key for base in answer]
    return bases


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
