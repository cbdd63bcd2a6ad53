"""What an export reads: files in portions, their definitions with symbols, and bases of classes."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from central.corpus.models import File, Package, Reference, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.repositories.visibility import RepositorySnapshot
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Bases, Key, enclosing_names, last_name
from central.trace.scip.symbols import Defined, DefiningFile, symbols_of
from central.trace.stored.hierarchy import classes_in
from central.trace.stored.models import Inheritance, Source
from indexer.records.files import split_lines
from indexer.records.scip import format_symbol

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
