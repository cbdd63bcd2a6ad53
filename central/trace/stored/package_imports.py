"""Which packages the imports of a file lead into, beside its own."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from central.corpus.models import File, Import, Module
from central.db import Row, copy_into, copy_rows, fetch_rows, id_array, sql_with
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import ImportStatement
from central.trace.resolve.sql import Files
from central.trace.stored.models import PackageImport
from indexer.records.fixtures import split_fixture

_sql = sql_with(imported=Import, file=File, module=Module)
# OFFSET 0: by key for each file, whatever the planner believes of their number.
_IN: Final = _sql("""SELECT q.file, f.repository_id, coalesce(f.package_id, 0),
        coalesce((SELECT min(m.ecosystem) FROM {module} m WHERE m.file_id = q.file), 'none'),
        i.path, i.count
    FROM unnest(%s::bigint[]) AS q (file)
    CROSS JOIN LATERAL (SELECT * FROM {file} WHERE id = q.file OFFSET 0) AS f
    CROSS JOIN LATERAL (SELECT path, count(*) FROM {imported}
        WHERE file_id = q.file GROUP BY path OFFSET 0) AS i
    WHERE f.repository_id = ANY(%s::bigint[])""")
_COPY: Final = copy_into(PackageImport)
Imports = Mapping[ImportStatement, int]  # how often each stands in a file


class PackagePlace(NamedTuple):
    """A package and its repository; 0 is what no manifest is about."""

    repository: int
    package: int


class ImportedPackages(NamedTuple):
    """The packages that the imports of one path lead into, and how many there are."""

    own: PackagePlace  # of the file
    packages: frozenset[PackagePlace]
    imports: int


def imports_in(resolver: BatchResolver, files: Iterable[int]) -> Mapping[int, Imports]:
    """Return the import statements of files, without the fixtures that no statement writes."""
    found: dict[int, dict[ImportStatement, int]] = defaultdict(dict)
    for *place, count in fetch_rows(_IN, [id_array(files), resolver.repositories]):
        if not split_fixture(place[-1]):
            found[place[0]][ImportStatement(*place)] = count
    return found


def imported_by(resolver: BatchResolver, imports: Imports) -> list[ImportedPackages]:
    """Return what the imports of one file name."""
    answers = resolver.resolve_all(list(imports))
    files = sorted(
        {
            definition.file
            for definitions, _ in answers
            for definition in definitions
            if definition.file
        }
    )
    places = dict(zip(files, resolver.resolve_all([Files(file) for file in files]), strict=True))
    found = []
    for (statement, count), (definitions, modules) in zip(imports.items(), answers, strict=True):
        packages = {PackagePlace(module.repository, module.package) for module in modules}
        for definition in definitions:  # what a model of a library says is in no file
            packages |= {
                PackagePlace(row.repository, row.package) for row in places.get(definition.file, ())
            }
        own = PackagePlace(statement.repository, statement.package)
        found.append(ImportedPackages(own, frozenset(packages - {own}), count))
    return found


def package_imports(
    found: Mapping[int, Sequence[ImportedPackages]],
) -> Counter[tuple[int, PackagePlace]]:
    """Count the imports of each key that lead into each package, without that of the file."""
    counts: Counter[tuple[int, PackagePlace]] = Counter()
    for key, several in found.items():
        for imported in several:
            counts.update({(key, package): imported.imports for package in imported.packages})
    return counts


def write_package_imports(found: Mapping[int, Sequence[ImportedPackages]]) -> None:
    """Write the imports of files, given by the ids of their paths."""
    copy_rows(_COPY, import_rows(found))


def import_rows(found: Mapping[int, Sequence[ImportedPackages]]) -> list[Row]:
    """Return the rows of the imports of files, in the order of the columns."""
    own = {path: several[0].own.repository for path, several in found.items() if several}
    counts = package_imports(found)
    return [(path, own[path], *place, count) for (path, place), count in counts.items()]
