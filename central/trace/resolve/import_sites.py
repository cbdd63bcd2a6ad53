"""Imports as places of use, read by what they name, by module or by enclosing definition."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from central.corpus.models import File, Import, Module, Symbol
from central.db import fetch_rows, sql_with
from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import ImportStatement, Key
from central.trace.resolve.references import ReferenceSite, columns_of
from central.trace.resolve.renamed import IN_REPOSITORY, renamed_imports
from indexer.records.files import VALUE_KINDS
from indexer.records.fixtures import split_fixture

IMPORT: Final = "import"  # the kind of these uses, beside those of ReferenceKind

_sql = sql_with(
    # A ReferenceSite, then the path; no reference has a negative id.
    columns="""-i.id, i.repository_id, i.file_id, f.path, coalesce(f.package_id, 0),
    coalesce((SELECT min(m.ecosystem) FROM {module} m WHERE m.file_id = f.id), 'none'),
    'import', split_part(i.path, '.', -1), 'import', i.local, '', 'path',
    coalesce((SELECT s.qualified_name FROM {symbol} s
        WHERE s.file_id = i.file_id AND i.line BETWEEN s.start_line AND s.end_line
            AND NOT s.kind = ANY(%s::text[])
        ORDER BY s.start_line DESC, s.end_line, s.id LIMIT 1), ''),
    i.line, 0, f.generated <> '', i.path""",
    in_repository=IN_REPOSITORY,
    imported=Import,
    file=File,
    module=Module,
    symbol=Symbol,
)
# As in the condition of the index import_name; import_alias has all others.
_NAMED = _sql("""SELECT {columns}
    FROM {imported} i JOIN {file} f ON f.id = i.file_id
    WHERE split_part(i.path, '.', -1) = ANY(%s::text[])
        AND (split_part(i.path, '.', -1) = i.local OR i.wildcard)
        AND i.repository_id = ANY(%s::bigint[])""")
# OFFSET 0: by key for each row, whatever the planner believes of their number (decision 0031).
_BOUND = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, local)
    CROSS JOIN LATERAL (SELECT * FROM {imported} i
        WHERE i.file_id = q.file AND i.local = q.local OFFSET 0) AS i
    JOIN {file} f ON f.id = i.file_id
    WHERE i.repository_id = ANY(%s::bigint[])""")
_OF_MODULES = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[], %s::text[]) AS q (repository, path)
    CROSS JOIN LATERAL (SELECT * FROM {imported} i
        WHERE i.path = q.path AND i.repository_id BETWEEN {in_repository} OFFSET 0) AS i
    JOIN {file} f ON f.id = i.file_id
    WHERE i.repository_id = ANY(%s::bigint[])""")
_WITHIN = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, name)
    JOIN {symbol} around ON around.file_id = q.file AND around.qualified_name = q.name
    CROSS JOIN LATERAL (SELECT * FROM {imported} i WHERE i.file_id = q.file
        AND i.line BETWEEN around.start_line AND around.end_line OFFSET 0) AS i
    JOIN {file} f ON f.id = i.file_id
    WHERE i.repository_id = ANY(%s::bigint[])""")
_IN_FILE = _sql("""SELECT {columns}
    FROM {imported} i JOIN {file} f ON f.id = i.file_id
    WHERE i.file_id = %s::bigint AND i.line <= %s::int AND NOT i.wildcard
        AND %s::text IN (i.local, split_part(i.path, '.', -1))
        AND i.repository_id = ANY(%s::bigint[])
    ORDER BY i.line DESC""")
_MODULES_OF = _sql("""SELECT DISTINCT m.file_id, m.repository_id, coalesce(m.package_id, 0), m.name,
        m.public, m.ecosystem
    FROM unnest(%s::bigint[]) AS q (file)
    JOIN {module} m ON m.file_id = q.file
    WHERE m.repository_id = ANY(%s::bigint[])""")


class ImportSite(NamedTuple):
    """An import as a place of use, and the question of what it names."""

    site: ReferenceSite
    statement: ImportStatement


class ModuleOfFile(NamedTuple):
    """A module that a file is, or is a part of."""

    file: int
    repository: int
    package: int
    name: str
    public: bool
    ecosystem: str


def imports_named(resolver: BatchResolver, names: Sequence[str]) -> list[ImportSite]:
    """Read imports whose path ends in one of the names, unless they are bound to another name."""
    return _sites(_NAMED, [list(names)], resolver)


def imports_bound(resolver: BatchResolver, roots: Sequence[Key]) -> list[ImportSite]:
    """Read imports by file and local name."""
    return _sites(_BOUND, columns_of(roots), resolver)


def imports_within(resolver: BatchResolver, definitions: Sequence[Key]) -> list[ImportSite]:
    """Read imports that stand inside of definitions."""
    return _sites(_WITHIN, columns_of(definitions), resolver)


def imports_before(resolver: BatchResolver, file: int, *, line: int, name: str) -> list[ImportSite]:
    """Read imports of a file, up to a line, that have a name or bind it, the last one first."""
    return _sites(_IN_FILE, [file, line, name], resolver)


def modules_of(resolver: BatchResolver, files: Sequence[int]) -> list[ModuleOfFile]:
    """Return the modules of each file."""
    rows = fetch_rows(_MODULES_OF, [list(files), resolver.repositories])
    return [ModuleOfFile(*row) for row in rows]


def imports_of_modules(
    resolver: BatchResolver, modules: Sequence[ModuleOfFile]
) -> list[ImportSite]:
    """Read imports whose path may be one of the modules."""
    public = [(module.package, module.name) for module in modules if module.public]
    found = {path for module in modules for path in _paths_of(module)}
    paths = sorted(found.union(renamed_imports(resolver, public)))
    return _sites(_OF_MODULES, columns_of(paths), resolver)


def _paths_of(module: ModuleOfFile) -> list[tuple[int, str]]:
    """Return (repository, path), 0 for any: what is not public is imported in its own alone.

    A script of Python imports `/bin.shared` as `shared`.
    """
    if module.public:
        return [(0, module.name)]
    paths = [module.name]
    if name_rules(module.ecosystem).imports_beside and module.name.startswith("/"):
        names = module.name[1:].split(".")
        paths += [".".join(names[start:]) for start in range(1, len(names))]
    return [(module.repository, path) for path in paths]


def _sites(statement: str, columns: Sequence[object], resolver: BatchResolver) -> list[ImportSite]:
    """Fixtures that a test takes are imports that no statement writes."""
    rows = fetch_rows(statement, [sorted(VALUE_KINDS), *columns, resolver.repositories])
    sites = [(ReferenceSite(*row), path) for *row, path in rows if not split_fixture(path)]
    return [
        ImportSite(
            site,
            ImportStatement(site.file, site.repository, site.package, site.ecosystem, path),
        )
        for site, path in sites
    ]
